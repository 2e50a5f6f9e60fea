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

# With the scripts first in PATH, as here, an MPI library and its launcher are found behind them.
made=$(env -u VIRTUAL_ENV -u RANKINE_MPI_LIB PATH="$PATH:$MPI_BIN" rankine run -n 2 --hosts n1,n2 --dry-run ./from-archive)
grep -q "^$MPI_BIN/mpiexec" <<< "$made" || { echo "$made"; exit 1; }
