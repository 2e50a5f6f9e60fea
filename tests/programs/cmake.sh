# A CMake project: FindMPI, a size, a program that is run while configuring, and a test that runs on three ranks.
cp -r "$ROOT"/tests/programs/project/. .
cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$(rankine sdk cmake-toolchain)" > cmake.log 2>&1 || { cat cmake.log; exit 1; }
cmake --build build > build.log 2>&1 || { cat build.log; exit 1; }
(cd build && ctest --output-on-failure)
diff - <(rankine run -n 4 build/primes.wasm) <<< "4 ranks, 1229 primes, long has 4 bytes, pages have 65536"
