# A data folder that was copied elsewhere, as an image of a container takes it along, and then moved: all that was built is
# there, for C, C++, Fortran, threads and BLAS, and nothing is built again.
data=${RANKINE_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/rankine}
rankine sdk path > /dev/null
rankine sdk meson-cross-file > /dev/null
cat > hello.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int threads = 0;
    MPI_Init(&argc, &argv);
#pragma omp parallel reduction(+ : threads) num_threads(2)
    threads += 1;
    printf("%d\n", threads);
    MPI_Finalize();
    return 0;
}
C
cat > sum.cpp <<'C'
#include <iostream>
#include <vector>
int main()
{
    try {
        std::vector<int>().at(1);
    } catch (const std::exception &) {
        std::cout << "caught" << std::endl;
    }
}
C
cat > dot.f90 <<'F'
program dot
    use mpi_f08
    implicit none
    real(8), external :: ddot
    real(8) :: x(3) = [1, 2, 3]
    call MPI_Init()
    print '(f5.1)', ddot(3, x, 1, x, 1)
    call MPI_Finalize()
end program
F
# The compilers' own, and not the sources that they were built from.
mkdir copy
for part in "$data"/*; do
    [ "$(basename "$part")" = cache ] || cp -al "$part" copy/ 2>/dev/null || cp -a "$part" copy/
done
mv copy moved
# shellcheck disable=SC2012 # names that Rankine has given
parts() { ls -d moved/*-* | sort; }
parts > before
export RANKINE_DATA_DIR=$PWD/moved
says() {
    rankine "${@:2}" > build.log 2>&1 || { cat build.log; exit 1; }
    [ "$(rankine run a.wasm | tr -d ' ')" = "$1" ] || { echo "${*:2}: another result than $1"; exit 1; }
}
says 1 cc hello.c -o a.wasm
says 2 cc -fopenmp hello.c -o a.wasm
says caught c++ sum.cpp -o a.wasm
says 14.0 fc dot.f90 -lblas -o a.wasm
for part in fortran c++ openmp blas; do
    rankine sdk build $part > build.log 2>&1
    { grep -q 'there already' build.log && ! grep -q compiling build.log; } || { cat build.log; exit 1; }
done
parts | diff before - || { echo "parts were built again"; exit 1; }
# What names its own folder is written anew.
grep -qF "c = '$PWD/moved/sdk/bin/mpicc'" "$(rankine sdk meson-cross-file)"
[ -x "$(rankine sdk path)/bin/mpicc" ]
case $(readlink moved/sdk) in /*) echo "moved/sdk leads back to where it was"; exit 1 ;; esac
