# The HPC Challenge benchmark from Debian's source package: C on 4 ranks over the reference BLAS in Fortran 77 (Debian's
# lapack), linked by rankine fc, also on two nodes, and over the BLAS that the host computes. Each of its parts checks its own
# answers.
# full: it compiles some 350 files
# seconds: 1800
# sources: hpcc lapack
mkdir blas
tar -xf "$CACHE"/lapack_*.orig.tar.* -C blas --strip-components=1
tar -xf "$CACHE"/hpcc_*.orig.tar.* --strip-components=1
PATH="$(rankine sdk bin):$PATH"
export PATH

# The BLAS, and its own test programs, which make runs.
cp blas/make.inc.example blas/make.inc
blas=(-s -C blas FC="mpifort -runnable" FFLAGS=-O2 FFLAGS_NOOPT=-O0 BLASLIB="$PWD/libblas.a")
make "${blas[@]}" -j2 blaslib > blas.log 2>&1 || { tail -n 40 blas.log; exit 1; }
make "${blas[@]}" blas_testing > blas.log 2>&1 || { tail -n 40 blas.log; exit 1; }
[ "$(cat blas/BLAS/TESTING/*.out | grep -c 'PASS')" -gt 100 ]
if grep -H 'FAIL' blas/BLAS/TESTING/*.out; then exit 1; fi

# What hpl/setup has an example of for each machine. Strings are passed to Fortran with their lengths at the end.
cat > hpl/Make.rankine <<EOF
SHELL      = /bin/sh
CD         = cd
MKDIR      = mkdir -p
RM         = rm -f
ARCH       = rankine
TOPdir     = ../../..
INCdir     = \$(TOPdir)/include
HPLlib     = \$(TOPdir)/lib/rankine/libhpl.a
HPL_DEFS   = -DAdd_ -DF77_INTEGER=int -DStringSunStyle -I\$(INCdir) -I\$(INCdir)/rankine -I../../../../include
HPL_LIBS   = \$(HPLlib) $PWD/libblas.a -lm
CC         = mpicc
CCNOOPT    = \$(HPL_DEFS)
CCFLAGS    = \$(HPL_DEFS) -O2
LINKER     = mpifort
LINKFLAGS  =
ARCHIVER   = ar
ARFLAGS    = rc
RANLIB     = ranlib
EOF
make -j2 arch=rankine > make.log 2>&1 || { tail -n 40 make.log; exit 1; }

# As its own example says, with smaller matrices.
sed 's/^1000  /400   /' _hpccinf.txt > hpccinf.txt
report=hpccoutf.txt
failed() {
    echo "$1"
    cat $report
    exit 1
}
expect() { grep -qE "$1" $report || failed "its report lacks $1"; }
check() {
    rm -f $report
    "$@" --dir . hpcc > out 2>&1 || { cat out; exit 1; }
    expect '^Success=1$'
    expect '^ +1 tests completed and passed residual checks,$' # HPL
    expect '^ +5 tests completed and passed residual checks.$' # PTRANS
    expect '^MPIRandomAccess_Errors=0$'
    expect '^MPIRandomAccess_LCG_Errors=0$'
    expect '^MPIFFT_maxErr=[0-9.]+e-1[4-6]$'
}
check rankine run -n 4
# Two nodes of two ranks.
check "$MPI_BIN/mpiexec" -n 2 rankine run --engine nodes -n 2

# The same objects over the BLAS of which the host computes the products and solves.
rankine sdk build blas > blas.log 2>&1 || { tail -n 40 blas.log; exit 1; }
sed -i "s|$PWD/libblas.a|-lblas|" hpl/Make.rankine
rm hpcc
make arch=rankine > make.log 2>&1 || { tail -n 40 make.log; exit 1; }
grep -aq rankine_math hpcc || { echo "it was not linked with the host's BLAS"; exit 1; }
check rankine run -n 4
