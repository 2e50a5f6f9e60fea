# Numbers are written and read to the last digit as the machine's own C library does it, with threads and without.
cp "$ROOT"/tests/programs/numbers.c .
cc -O2 -o native numbers.c -lm
./native > expected
for flags in '' -pthread; do
    # shellcheck disable=SC2086 # none, or one
    rankine cc -O2 $flags -o numbers.wasm numbers.c -lm
    rankine run numbers.wasm > found
    if ! cmp -s expected found; then
        block=$(diff expected found | sed -n 's/^> \([0-9]*\) .*/\1/p' | head -1)
        echo "block $block differs:"
        diff <(./native "$block") <(rankine run numbers.wasm "$block") | head -20
        exit 1
    fi
done

# Integers.
cc -O2 -Wall -o native_integers "$ROOT/tests/programs/integers.c"
rankine cc -O2 -o integers.wasm "$ROOT/tests/programs/integers.c"
diff <(./native_integers) <(rankine run integers.wasm)

# What a guest's fma does where the processor has no instruction for it.
cc -O2 -fno-builtin -ffp-contract=off -Dfma=integers_fma -Dfmaf=integers_fmaf -idirafter "$ROOT/guest-sdk/c/include" -c "$ROOT/guest-sdk/c/src/libc/fma.c"
cc -O2 -fno-builtin -ffp-contract=off -o fma "$ROOT/tests/programs/fma.c" fma.o -lm
./fma
