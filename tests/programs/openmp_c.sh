# LLVM's tests of its OpenMP runtime in C, from the source that `rankine sdk build openmp` fetches: those that are compiled and run
# in the plain way. A test that can't pass here is listed with the reason; a listed test that passes is a failure.
# full: it compiles some 150 programs
# seconds: 3600
data=${RANKINE_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/rankine}
found() { find "$data/cache" -path '*/openmp/runtime/test' -type d 2> build.log | sort | tail -n 1; }
rankine sdk build openmp > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
if [ -z "$(found)" ]; then rankine sdk build --force openmp > build.log 2>&1 || { tail -n 40 build.log; exit 1; }; fi
cp -r "$(found)" suite
# A header of the runtime's, which two of them include.
mkdir src
cp "$(found)"/../src/kmp_platform.h src
cd suite

# one FILE: compiles and runs a test, and says "PASS FILE", or what went wrong.
one() {
    local file=$1 threads=4 work
    work=$(mktemp -d)
    # Each of several teams wants some.
    case $file in teams/*) threads=8 ;; esac
    if ! rankine cc -fopenmp -std=gnu99 -O1 -w -I . -I ompt "$file" -o "$work/a.wasm" > "$work/log" 2>&1; then
        echo "COMPILE $file: $(grep -m 1 -iE 'error' "$work/log")"
    elif timeout 600 rankine run --threads-per-rank $threads "$work/a.wasm" > "$work/log" 2>&1; then
        echo "PASS $file"
    else
        echo "RUN $file: $(tail -n 1 "$work/log")"
    fi
    rm -r "$work"
}
export -f one

grep -rlE 'RUN: *%libomp-compile-and-run *$' --include='*.c' . | sed 's|^\./||' | sort > tests
xargs -P 2 -I '{}' bash -c 'one {}' < tests > verdicts
known=$ROOT/tests/programs/openmp_c.txt
grep -v '^PASS' verdicts | sed -E 's/^[A-Z]+ ([^:]*):.*/\1/' | sort > failed
sed -E '/^(#|$)/d; s/:.*//' "$known" | sort > excused
echo "$(grep -c '^PASS' verdicts) of $(wc -l < tests) pass"
if ! diff excused failed > differences; then
    echo "fails without an excuse (>), or passes in spite of one (<):"
    grep '^[<>]' differences
    grep '^> ' differences | cut -c 3- | while read -r file; do grep -F " $file:" verdicts; done
    exit 1
fi
