# PnetCDF's tests from Debian's source package: its library in C and C++, on one rank and on 4, over MPI-IO. Each file that is
# written is looked through by its own ncvalidator, a native program here.
#
# Left out: its Fortran interfaces, whose test programs, made by macros, take long to compile.
# full: it compiles some 500 files
# seconds: 3600
# sources: pnetcdf libtool
mkdir parts
tar -xf "$CACHE"/libtool_*.orig.tar.* -C parts --strip-components=1
tar -xf "$CACHE"/pnetcdf_*.orig.tar.* --strip-components=1
# It comes without a configure script, and with a part of libtool.
cp parts/m4/{libtool,ltoptions,ltsugar,ltversion,lt~obsolete}.m4 m4
cp parts/build-aux/ltmain.sh scripts
# Some tests write where another rank still reads or writes, in two calls for all ranks, which MPI keeps in order only with a barrier
# between them.
# shellcheck disable=SC2013 # no name has blanks
for file in $(grep -lr --include=*.c --include=*.m4 'if (nprocs > 4) MPI_Barrier' test); do
    sed -i -e 's/if (nprocs > 4) MPI_Barrier/MPI_Barrier/' -e 's/^    free(w_buffer);/    MPI_Barrier(MPI_COMM_WORLD);\n&/' \
        -e 's/^    MPI_Comm_rank(MPI_COMM_WORLD, &rank);/    MPI_Barrier(MPI_COMM_WORLD);\n&/' "$file"
done
LIBTOOLIZE=true autoreconf -fi > autoreconf.log 2>&1 || { cat autoreconf.log; exit 1; }

PATH="$(rankine sdk bin):$PATH"
export PATH
./configure MPICC="mpicc -runnable" MPICXX="mpicxx -runnable" CFLAGS=-O2 CXXFLAGS=-O2 --host=wasm32-wasi --disable-fortran \
    TESTMPIRUN="rankine run -n NP --dir ." > configure.log 2>&1 || { tail configure.log config.log; exit 1; }
for goal in all tests check ptest; do
    make -j2 $goal > $goal.log 2>&1 || { grep -A 20 -E '^(FAIL|ERROR)' $goal.log || tail -n 40 $goal.log; exit 1; }
done
