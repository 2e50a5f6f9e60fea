# Products and factorisations by the machine's libraries, in place of the host's own: OpenBLAS with 32-bit and 64-bit integers, with
# threads and without, BLIS, which has no factorisations, and the reference's two libraries.
# full: it fetches packages of some 15 MB
# packages: libopenblas0-pthread libopenblas0-serial libopenblas64-0-pthread libblis4-serial libblas3 liblapack3 libgfortran5 libquadmath0
# seconds: 900
rankine sdk build blas > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
here=$ROOT/tests/programs/lapack
rankine cc -O1 -DWITHOUT_LAPACK "$here/served.c" -lblas -o served.wasm
rankine cc -O1 "$here/factors.c" -o factors.wasm

for package in "$CACHE"/packages/*/*.deb; do dpkg-deb -x "$package" root; done
libraries=$(echo "$PWD"/root/usr/lib/*-linux-gnu)
# Others could have written there otherwise.
chmod -R go-w root
export LD_LIBRARY_PATH=$libraries:$libraries/blas

# check LIBRARY WORDS OPTIONS…: it computes what the reference does, and the command says these words of it.
check() {
    local library=$1 words=$2
    shift 2
    for program in served factors; do
        [ "$(rankine run "$@" --blas "$libraries/$library" "$program.wasm" 2> said.log)" = OK ] || { cat said.log; exit 1; }
    done
    rankine run --verbose --blas "$libraries/$library" factors.wasm 2>&1 | grep -F "BLAS: $libraries/$library" | grep -qF "$words"
}
for placement in --threads --fibers; do
    check openblas-pthread/libopenblas.so.0 "32-bit integers; for all routines" -n 3 "$placement"
done
check openblas-pthread/libopenblas.so.0 "32-bit integers; for all routines" -n 2 --no-confine
check openblas64-pthread/libopenblas64.so.0 "64-bit integers; for all routines" -n 2
check openblas-serial/libopenblas.so.0 "SINGLE_THREADED" -n 4
check lapack/liblapack.so.3 "32-bit integers; for all routines" -n 2
check blas/libblas.so.3 "does what it lacks: sgetrf dgetrf cgetrf zgetrf spotrf" -n 2
check blis-serial/libblis.so.4 "does what it lacks: sgetrf dgetrf cgetrf zgetrf spotrf" -n 2
