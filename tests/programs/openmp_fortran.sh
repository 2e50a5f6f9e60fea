# GCC's tests of OpenMP in Fortran, from Debian's source package: those that run, beside the ones that name devices. What LLVM's
# flang or its runtime does in another way, natively too, is listed with the reason; a listed test that passes is a failure.
# full: it compiles some 300 programs
# seconds: 3600
# sources: gcc-12
tar -xOf "$CACHE"/gcc-12_*.orig.tar.* --wildcards '*/gcc-12*.tar.xz' | tar -xJf - --strip-components=3 --wildcards '*/libgomp/testsuite/libgomp.fortran'
cd libgomp.fortran

# one FILE: compiles and runs a test, and says "PASS FILE", or what went wrong.
one() {
    local file=$1 work option options=() extra=() environment=()
    work=$(mktemp -d)
    while read -r option; do options+=("$option"); done < <(
        grep -hoE 'dg-(additional-)?options "[^"]*" *\}' "$file" | cut -d'"' -f2 | tr ' ' '\n' |
            grep -E '^-(D|cpp|ffixed-form|fdefault-integer-8|ffree-line|fno-openmp)')
    while read -r option; do extra+=("$option"); done < <(sed -nE 's/.*dg-additional-sources "?([^"} ]*).*/\1/p' "$file")
    while read -r option; do environment+=(--env "$option"); done < <(
        sed -nE 's/.*dg-set-target-env-var (OMP_[A-Z_]+) "([^"]*)".*/\1=\2/p' "$file")
    if ! rankine fc -fopenmp -fopenmp-version=50 -O2 -w -J "$work" "${options[@]}" "$file" "${extra[@]}" -o "$work/a.wasm" > "$work/log" 2>&1; then
        echo "COMPILE $file: $(grep -m 1 -iE 'error|not yet' "$work/log")"
    elif (cd "$work" && timeout 60 rankine run --threads-per-rank 4 "${environment[@]}" --dir . a.wasm > log 2>&1); then
        if grep -q dg-shouldfail "$file"; then echo "RUN $file: it should have failed"; else echo "PASS $file"; fi
    elif grep -q dg-shouldfail "$file"; then
        echo "PASS $file"
    else
        echo "RUN $file: $(head -n 1 "$work/log")"
    fi
    rm -r "$work"
}
export -f one

printf '%s\n' *.f *.f90 *.F90 *.f95 *.f03 appendix-a/*.f90 examples-4/*.f90 |
    grep -vE '^(target|use_device|declare-target|declare-variant|struct-elem|map-alloc|is_device|optional-map|refcount)' |
    grep -vE '^examples-4/(target|device|declare_target|async_target|array_sect)' |
    xargs grep -LE 'dg-do *(compile|link)' > tests
xargs -P 2 -I '{}' bash -c 'one {}' < tests > verdicts
known=$ROOT/tests/programs/openmp_fortran.txt
grep -v '^PASS' verdicts | sed -E 's/^[A-Z]+ ([^:]*):.*/\1/' | sort > failed
sed -E '/^(#|$)/d; s/:.*//' "$known" | sort > excused
echo "$(grep -c '^PASS' verdicts) of $(wc -l < tests) pass"
if ! diff excused failed > differences; then
    echo "fails without an excuse (>), or passes in spite of one (<):"
    grep '^[<>]' differences
    grep '^> ' differences | cut -c 3- | while read -r file; do grep -F " $file:" verdicts; done
    exit 1
fi
