# SUNDIALS, from Debian's source package, unchanged: its solvers and examples are built with the toolchain file, and all of its own
# tests pass, which ctest starts by their names.
# full: it compiles some 500 files
# seconds: 1800
# sources: sundials
tar -xf "$CACHE"/sundials_*.orig.tar.* --strip-components=1
cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$(rankine sdk cmake-toolchain)" -DENABLE_MPI=ON -DBUILD_SHARED_LIBS=OFF > cmake.log 2>&1 ||
    { tail -n 40 cmake.log; exit 1; }
cmake --build build -j2 > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
ctest --test-dir build --output-on-failure > ctest.log 2>&1 || { tail -n 60 ctest.log; exit 1; }
# Those on several ranks are among them.
grep -q 'test_nvector_mpi.*Passed' ctest.log
[ "$(sed -n 's/^100% tests passed, 0 tests failed out of //p' ctest.log)" -ge 47 ]
