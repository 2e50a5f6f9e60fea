# A plain makefile that says mpicc and mpiexec, and runs a program to learn about the machine.
PATH="$(rankine sdk bin):$PATH"
export PATH
cp -r "$ROOT"/tests/programs/project/. .
make -s -f Makefile.plain check > out
diff - out <<< "3 ranks, 1229 primes, long has 4 bytes, pages have 65536"

# main may lie in an archive.
ar rcs libmain.a src/main.o
mpicc -o from-archive libmain.a libprimes.a
diff - <(mpiexec -n 2 ./from-archive) <<< "2 ranks, 1229 primes, long has 4 bytes, pages have 65536"
