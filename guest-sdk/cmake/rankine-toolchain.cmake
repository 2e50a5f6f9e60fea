# CMake toolchain file for guests of Rankine: cmake -DCMAKE_TOOLCHAIN_FILE=$(rankine sdk cmake-toolchain) …
#
# It lies beside the scripts mpicc and mpiexec, which call the `rankine` it came with.
get_filename_component(RANKINE_SDK "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

# CMake has no platform for WASI before 3.31; Generic is the one that expects nothing.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER "${RANKINE_SDK}/bin/mpicc")
set(CMAKE_CXX_COMPILER "${RANKINE_SDK}/bin/mpicxx")
set(CMAKE_Fortran_COMPILER "${RANKINE_SDK}/bin/mpifort")
set(CMAKE_EXECUTABLE_SUFFIX_C ".wasm")
set(CMAKE_EXECUTABLE_SUFFIX_CXX ".wasm")
set(CMAKE_EXECUTABLE_SUFFIX_Fortran ".wasm")
set(CMAKE_EXECUTABLE_SUFFIX ".wasm")

# try_run and add_test run a guest on one rank, and let it use the folder in which it is started, as `-runnable` does.
set(CMAKE_CROSSCOMPILING_EMULATOR "${RANKINE_SDK}/bin/mpiexec;-n;1")

# Programs of the host may be called; its libraries and headers must not be found.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
list(APPEND CMAKE_FIND_ROOT_PATH "${RANKINE_SDK}/c")

# find_package(MPI): the compiler is the wrapper already.
set(MPI_C_COMPILER "${RANKINE_SDK}/bin/mpicc" CACHE FILEPATH "MPI compiler wrapper")
set(MPI_CXX_COMPILER "${RANKINE_SDK}/bin/mpicxx" CACHE FILEPATH "MPI compiler wrapper of C++")
set(MPI_Fortran_COMPILER "${RANKINE_SDK}/bin/mpifort" CACHE FILEPATH "MPI compiler wrapper of Fortran")
set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "MPI has no C++ bindings since MPI-3")
set(MPIEXEC_EXECUTABLE "${RANKINE_SDK}/bin/mpiexec" CACHE FILEPATH "starts MPI programs")
set(MPIEXEC_NUMPROC_FLAG "-n" CACHE STRING "how many ranks")

# Everything is linked statically.
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS FALSE)
set(BUILD_SHARED_LIBS OFF CACHE BOOL "guests are linked statically")
