# LAPACK over the host's routines: what the host does is what the reference does, and systems of equations are solved.
# full: LAPACK has some 2000 files
# seconds: 3600
rankine sdk build blas lapack > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
here=$ROOT/tests/programs/lapack

rankine cc -O1 "$here/served.c" -llapack -lblas -o served.wasm
rankine cc -O1 "$here/linear_systems.c" -llapacke -llapack -lcblas -lblas -o systems.wasm
rankine fc -O2 "$ROOT/tests/fortran/check.f90" "$here/linear_systems.f90" -llapack -lblas -o systems_fortran.wasm
for program in served systems systems_fortran; do
    for ranks in 1 3; do
        [ "$(rankine run -n "$ranks" "$program.wasm")" = OK ]
        [ "$(rankine run -n "$ranks" --fibers "$program.wasm")" = OK ]
    done
done
