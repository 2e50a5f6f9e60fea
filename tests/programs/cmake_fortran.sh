# A CMake project in Fortran and C: MPI's modules, the names of Fortran's procedures in C, a length that C leaves out.
cp -r "$ROOT"/tests/programs/fortran_project/. .
cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$(rankine sdk cmake-toolchain)" > cmake.log 2>&1 || { cat cmake.log; exit 1; }
cmake --build build > build.log 2>&1 || { cat build.log; exit 1; }
diff - <(rankine run -n 3 build/mean.wasm) <<< "mean 1.00"
