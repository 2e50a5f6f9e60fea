# FFTW from Debian's source package: its MPI library, and its own check of random transforms on 1 to 4 ranks.
# full: it compiles some 600 files
# seconds: 1800
# sources: fftw3
tar -xf "$CACHE"/fftw3_*.orig.tar.* --strip-components=1
# Its config.sub is older than WASI; `none` is what embedded targets are called there.
./configure CC="rankine cc -runnable" MPICC="rankine cc -runnable" MPIRUN="rankine run" CFLAGS="-O2" --host=none \
    --enable-mpi --disable-fortran --disable-doc --disable-threads > configure.log 2>&1 || { tail configure.log config.log; exit 1; }
make -j2 > make.log 2>&1 || { tail -n 40 make.log; exit 1; }
make -C mpi check > check.log 2>&1 || { tail -n 40 check.log; exit 1; }
[ "$(grep -c 'MPI FFTW transforms passed 10 tests' check.log)" = 4 ]
