# CBLAS's own tests from Debian's source package of LAPACK, C and Fortran in both directions: Fortran passes hidden lengths of
# strings to functions in C that don't have them, and the BLAS in Fortran calls an error handler in C.
# full: it compiles some 350 files
# seconds: 1800
# sources: lapack
tar -xf "$CACHE"/lapack_*.orig.tar.* --strip-components=1
PATH="$(rankine sdk bin):$PATH"
export PATH
cp make.inc.example make.inc
make=(make -s CC=mpicc FC="mpifort -runnable" CFLAGS=-O2 FFLAGS=-O2 FFLAGS_NOOPT=-O0)
"${make[@]}" -j2 blaslib cblaslib > make.log 2>&1 || { tail -n 40 make.log; exit 1; }
"${make[@]}" cblas_testing > make.log 2>&1 || { tail -n 40 make.log; exit 1; }

# Each of the 12 programs says of every routine, in both orders of rows and columns, what came of it.
cd CBLAS/testing
if grep -HE 'FAIL|\*{5}|SUSPECT' ./*.out; then exit 1; fi
passed=$(cat ./*.out | grep -cE 'PASSED THE|- PASS -')
[ "$passed" = 328 ] || { echo "$passed of 328 tests have passed"; exit 1; }

# It is adapters that made these calls possible.
for function in cdgemm_ cdtrsm_ xerbla_; do
    grep -aq "$function, called with other arguments" xdcblat3 || { echo "$function was called as it is"; exit 1; }
done
