# The crate `mpi` (rsmpi) as crates.io has it: its examples, compiled, and `example`, which runs one.
#
# The sources come from cargo's own registry: a crate that depends on `mpi` is fetched, and so `mpi` is.
version=0.8.2
mkdir -p fetch/src
touch fetch/src/lib.rs
printf '[package]\nname = "fetch"\nedition = "2024"\n[dependencies]\nmpi = "=%s"\n[workspace]\n' $version > fetch/Cargo.toml
cargo fetch -q --manifest-path fetch/Cargo.toml
manifest=$(cargo metadata --manifest-path fetch/Cargo.toml --format-version 1 |
    grep -o '"manifest_path":"[^"]*/mpi-'$version'/Cargo.toml"' | cut -d'"' -f4)
cp -r "$(dirname "$manifest")" mpi
cp "$ROOT/rust-toolchain.toml" mpi
cd mpi
# Its lock file names the crates that are patched.
rm -f Cargo.lock

RANKINE_DATA_DIR=${RANKINE_DATA_DIR:-$PWD/data}
export RANKINE_DATA_DIR
# compiled TARGET WHICH…
compiled() {
    local target=$1
    shift
    cargo --config "$(rankine sdk cargo-config)" build -q "$@" --features derive,complex --target "$target" \
        --target-dir "$CACHE/mpi-crate" 2> build.log || { cat build.log; exit 1; }
}
compiled wasm32-wasip1 --examples
# Those that start threads, once more where there are any.
with_threads=(derive_multiple_thread_init derive_nonthreaded_panic init_with_threading)
compiled wasm32-wasip1-threads "${with_threads[@]/#/--example=}"

# What one of them can't do here, and how it says so.
cannot() {
    case $target/$1 in
        wasm32-wasip1/derive_multiple_thread_init | wasm32-wasip1/derive_nonthreaded_panic) echo "failed to spawn thread" ;;
        */derive_preinit_panic | */derive_postfinalize_panic | */derive_nonthreaded_panic) echo "panicked at" ;; # no panic is caught
        */spawn | */spawn_multiple) echo "not supported on this platform" ;; # what they start: std::env::current_exe()
    esac
}
ran=0 passed=0 failed=0 target=wasm32-wasip1
# example NAME RANKS ENGINE COMMAND…: counts what passes and what says why it can't
example() {
    local name=$1 ranks=$2 engine=$3 expected status=0
    shift 3
    expected=$(cannot "$name")
    "$@" --timeout 600 "$CACHE/mpi-crate/$target/debug/examples/$name.wasm" > out 2>&1 || status=$?
    ran=$((ran + 1))
    if [ -z "$expected" ] && [ $status = 0 ]; then passed=$((passed + 1)); return; fi
    if [ -n "$expected" ] && [ $status != 0 ] && grep -q "$expected" out; then return; fi
    failed=$((failed + 1))
    echo "== $name on $ranks ranks of $engine: status $status${expected:+, expected to say \"$expected\"}"
    tail -n 20 out
}
# examples RANKS ENGINE COMMAND…: all of them
examples() {
    passed=0
    local sources=(examples/*.rs)
    for source in "${sources[@]}"; do
        example "$(basename "$source" .rs)" "$@"
    done
    echo "$1 ranks, $2: $passed of ${#sources[@]} pass"
}
# threaded RANKS ENGINE COMMAND…: those with threads
threaded() {
    local target=wasm32-wasip1-threads
    passed=0
    for name in "${with_threads[@]}"; do
        example "$name" "$@"
    done
    echo "$1 ranks with threads, $2: $passed of ${#with_threads[@]} pass"
}
