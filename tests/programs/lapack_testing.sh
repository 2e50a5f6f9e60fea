# LAPACK's and BLAS's own test programs (Debian's source package), linked with -llapack -lblas, so that what the host computes is
# what they judge: BLAS and CBLAS of all levels, and LAPACK's linear equations, in all four kinds of numbers.
# full: it compiles LAPACK, and some 900 files of its tests
# seconds: 3600
# sources: lapack
rankine sdk build fortran blas lapack > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
tar -xf "$CACHE"/lapack_*.orig.tar.* --strip-components=1
PATH="$(rankine sdk bin):$PATH"
export PATH
cp make.inc.example make.inc
# The makefiles name archives, which have nothing in them here: the linker's options bring the libraries.
ar rcs empty.a
built() { # FOLDER LIBRARIES TARGETS…
    local folder=$1 libraries=$2
    shift 2
    make -s -j2 -C "$folder" CC=mpicc FC="mpifort -runnable" CFLAGS=-O2 FFLAGS=-O2 FFLAGS_NOOPT=-O0 FFLAGS_DRV=-O2 LDFLAGS="$libraries" \
        BLASLIB="$PWD/empty.a" CBLASLIB="$PWD/empty.a" LAPACKLIB="$PWD/empty.a" TMGLIB="$PWD/libtmglib.a" "$@" > make.log 2>&1 ||
        { tail -n 40 make.log; exit 1; }
}
# served PROGRAM…: whether the host is asked.
served() {
    for program in "$@"; do
        grep -aq rankine_math "$program" || { echo "$program was not linked with what the host computes"; exit 1; }
    done
}

# passes COUNT FILE…: what the tests have written, in which so many passed and none failed.
passes() {
    local count=$1 passed
    shift
    if grep -HiE 'fail|\*{5}|SUSPECT' "$@"; then exit 1; fi
    passed=$(cat "$@" | grep -cE 'PASSED|- PASS -|passed the')
    [ "$passed" = "$count" ] || { echo "$passed of $count tests have passed"; exit 1; }
}

built BLAS/TESTING -lblas run
served BLAS/TESTING/xblat3?
passes 238 ./BLAS/TESTING/?blat?.out

built CBLAS/testing "-lcblas -lblas" run
served CBLAS/testing/x?cblat3
passes 328 CBLAS/testing/*.out

built TESTING/MATGEN ""
built TESTING/LIN "-llapack -lblas" xlintst{s,d,c,z,ds,zc}
served TESTING/LIN/xlintst?
cd TESTING
for kind in s d c z ds zc; do
    ./LIN/xlintst$kind < ${kind}test.in > ${kind}test.out 2>&1 || { tail -n 20 ${kind}test.out; exit 1; }
done
passes 400 ./?test.out dstest.out zctest.out
