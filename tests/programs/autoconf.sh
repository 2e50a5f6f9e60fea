# A configure script of autoconf, unmodified: it asks for sizes and runs a program that leaves its answer in a file.
cp -r "$ROOT"/tests/programs/project/. .
autoreconf -i > autoreconf.log 2>&1 || { cat autoreconf.log; exit 1; }
./configure CC="rankine cc -runnable" --host=wasm32-wasi > configure.log || { tail -n 30 configure.log config.log; exit 1; }
grep -q 'checking whether we are cross compiling... no' configure.log
make -s 2> make.log || { cat make.log; exit 1; }
expected="ranks, 1229 primes, long has 4 bytes, pages have 65536"
diff - <(rankine run -n 3 ./primes) <<< "3 $expected"
diff - <(RANKINE_RANKS=2 ./primes) <<< "2 $expected"

# Without -runnable it is a cross compilation like any other, and what only running tells has to be told.
rm -r config.cache config.status config.log 2> /dev/null || true
if ./configure CC="rankine cc" --host=wasm32-wasi > configure.log 2>&1; then exit 1; fi
grep -q 'checking whether we are cross compiling... yes' configure.log
grep -q 'programs can not be run' configure.log
