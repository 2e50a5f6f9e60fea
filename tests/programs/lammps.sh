# LAMMPS without optional packages, from Debian's source package: 180,000 lines of C++. The Lennard-Jones melt on 1, 2 and 4 ranks and on
# two nodes, and the larger one of its bench folder, print the digits of the native build (clang 22 and MPICH 5 on x86-64).
# full: it compiles 386 files of C++
# seconds: 2400
# sources: lammps
tar -xf "$CACHE"/lammps_*.orig.tar.* --strip-components=1
PATH="$(rankine sdk bin):$PATH"
export PATH
make -C src -j2 mpi CCFLAGS="-O2 -std=c++11 -w" LINKFLAGS=-O2 SHFLAGS= SIZE=true > make.log 2>&1 || { tail -n 40 make.log; exit 1; }

# The table of step, temperature, energies and pressure.
thermo() { sed -n '/^Step/,/^Loop/{/^Loop/d;s/ *$//;p}' "$1"; }
prints() {
    "${@:2}" --dir . src/lmp_mpi -in "$1" > out || { cat out; exit 1; }
    diff expected <(thermo out)
}
check() {
    local ranks
    for ranks in 1 2 4; do
        prints "$1" rankine run -n $ranks
    done
    # Two nodes, of one rank and of two.
    for ranks in 1 2; do
        prints "$1" "$MPI_BIN/mpiexec" -n 2 rankine run --engine nodes -n $ranks
    done
}
cat > expected <<EOF
Step Temp E_pair E_mol TotEng Press
       0            3   -6.7733681            0   -2.2744931   -3.7033504
      50    1.6842865   -4.8082494            0   -2.2824513    5.5666131
     100    1.6712577   -4.7875609            0    -2.281301    5.6613913
     150    1.6444751   -4.7471034            0   -2.2810074    5.8614211
     200    1.6471542   -4.7509053            0   -2.2807916    5.8805431
     250    1.6645597   -4.7774327            0   -2.2812174    5.7526089
EOF
check examples/melt/in.melt
cat > expected <<EOF
Step Temp E_pair E_mol TotEng Press
       0         1.44   -6.7733681            0   -4.6134356   -5.0197073
     100    0.7574531   -5.7585055            0   -4.6223613   0.20726105
EOF
check bench/in.lj
