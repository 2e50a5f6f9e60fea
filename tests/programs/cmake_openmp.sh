# A CMake project in Fortran and C that finds OpenMP for both.
cp -r "$ROOT"/tests/programs/openmp_project/. .
cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$(rankine sdk cmake-toolchain)" > cmake.log 2>&1 || { cat cmake.log; exit 1; }
cmake --build build > build.log 2>&1 || { cat build.log; exit 1; }
diff - <(rankine run --threads-per-rank 3 build/teams.wasm) <<< "threads 3 total 5050 half 2525.0"
