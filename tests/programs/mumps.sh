# MUMPS from Debian's source package, a sparse solver in Fortran 90 and C that call each other, over the reference BLAS: its own
# examples in double precision, in memory and with files, and a larger system, on 1 to 4 ranks, and on 2 of the engine `mpi`.
#
# ScaLAPACK, to which it can give the last dense block of a large system, is not here: MUMPS brings stubs of it, which end a program
# that gets there.
# full: it compiles some 200 files
# seconds: 1800
# sources: mumps lapack
rankine sdk build blas > blas.log 2>&1 || { tail -n 40 blas.log; exit 1; }
mkdir lapack
tar -xf "$CACHE"/lapack_*.orig.tar.* -C lapack --strip-components=1
tar -xf "$CACHE"/mumps_*.orig.tar.* --strip-components=1
PATH="$(rankine sdk bin):$PATH"
export PATH

# The stubs of ScaLAPACK, without those of MPI before them, and what MUMPS takes of LAPACK.
sed -n '/^C     BLACS/,$p' libseq/mpi.f > stubs.f
grep -q 'SUBROUTINE pdgetrf' stubs.f
cp lapack/INSTALL/dlamch.f lapack/SRC
others="disnan dlaisnan dlamch dlapy2 dlarf dlarfb dlarfg dlarft dorg2r dorgqr ieeeck iladlc iladlr ilaenv iparmq"
# shellcheck disable=SC2086 # a word for each file
for name in stubs $(printf 'lapack/SRC/%s ' $others); do
    mpifort -O2 -c "$name.f" -o "$name.o" 2>> others.log || { cat others.log; exit 1; }
done
ar rcs lib/libothers.a stubs.o lapack/SRC/*.o

# It reads an address as a number of 64 bits.
grep -q '\*addr=\*(MUMPS_INT8\*)&a;' src/mumps_size.c
sed -i 's/\*addr=\*(MUMPS_INT8\*)&a;/*addr=(MUMPS_INT8)(size_t)a;/' src/mumps_size.c
cp Make.inc/Makefile.inc.generic Makefile.inc
# One function expands to so much code that the optimizer takes minutes for it; files are written by the program's one thread.
echo 'dmumps_save_restore.o: override OPTF = -O0' >> Makefile.inc
make -j2 d CC=mpicc FC=mpifort FL="mpifort -runnable" OPTF=-O2 OPTC="-O2 -I. -DWITHOUT_PTHREAD" \
    INCPAR= LIBPAR=-lothers LIBOTHERS= > make.log 2>&1 || { tail -n 40 make.log; exit 1; }
# It broadcasts strings, whose hidden lengths MPI does not expect.
grep -aq 'mpi_bcast_, called with other arguments' examples/dsimpletest

# Poisson's equation on 30 × 30 points, whose solution is x(i) = i.
awk -v n=30 'function entry(row, column, value) { lines = lines row " " column " " value "\n"; count++; b[row] += value * column }
    BEGIN {
        for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
            i = y * n + x + 1
            entry(i, i, 4)
            if (x > 0) entry(i, i - 1, -1)
            if (x < n - 1) entry(i, i + 1, -1)
            if (y > 0) entry(i, i - n, -1)
            if (y < n - 1) entry(i, i + n, -1)
        }
        printf "%d :N\n%d :NZ\n%s", n * n, count, lines
        for (i = 1; i <= n * n; i++) print b[i]
    }' > poisson
counts_up() { # to $1: the numbers behind "Solution is"
    awk -v last="$1" '/Solution is/ { sub(/.*Solution is *:?/, ""); found = 1 }
        found && i < last { gsub(/[()]/, " "); for (k = 1; k <= NF; k++) { i++; if ($k < i - 1e-8 || $k > i + 1e-8) wrong = 1 } }
        END { exit !(i == last && !wrong) }'
}
check() {
    local out
    # shellcheck disable=SC2154 # `last=5 check …` sets it
    { out=$("$@" 2>&1) && counts_up "$last" <<< "$out"; } || { echo "$*: $out"; exit 1; }
}
each_with() {
    last=5 check "$@" examples/dsimpletest < examples/input_simpletest_real
    last=900 check "$@" examples/dsimpletest < poisson
    last=2 check "$@" examples/c_example
    last=5 check "$@" --dir "$PWD::/tmp" examples/dsimpletest_save_restore < examples/input_simpletest_real
    last=2 check "$@" --dir "$PWD::/tmp" examples/c_example_save_restore
}
for ranks in 1 2 3 4; do each_with rankine run -n $ranks; done
each_with "$MPI_BIN/mpiexec" -n 2 rankine run
