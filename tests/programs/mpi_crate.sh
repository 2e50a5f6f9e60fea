# All examples of the crate `mpi` (rsmpi) as crates.io has it, unmodified, on 2 to 4 ranks of the embedded engine and 2 of the mpi engine.
# seconds: 900
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
cargo --config "$(rankine sdk cargo-config)" build -q --examples --features derive,complex --target wasm32-wasip1 \
    --target-dir "$CACHE/mpi-crate" 2> build.log || { cat build.log; exit 1; }

# What one of them can't do here, and how it says so: name, ranks, engine.
cannot() {
    case $1 in
        derive_multiple_thread_init | derive_nonthreaded_panic) echo "failed to spawn thread" ;; # a rank has one thread
        derive_preinit_panic | derive_postfinalize_panic) echo "panicked at" ;; # Rust's panics end a wasm32-wasip1 program
        # The embedded engine starts no processes; on the other one Rust's library does not know the program's own name.
        spawn | spawn_multiple) [ "$3" = mpi ] && echo "not supported on this platform" || echo "mpi.MPI_Comm_spawn" ;;
        cartesian_map) [ "$2" -ge 4 ] || [ "$3" = mpi ] || echo "dims\[1\] is 0" ;; # it divides the ranks by 4, and MPICH lets it
    esac
}
ran=0 failed=0
# example NAME RANKS ENGINE COMMAND…
example() {
    local name=$1 ranks=$2 engine=$3 expected status=0
    shift 3
    expected=$(cannot "$name" "$ranks" "$engine")
    "$@" --timeout 60 "$CACHE/mpi-crate/wasm32-wasip1/debug/examples/$name.wasm" > out 2>&1 || status=$?
    ran=$((ran + 1))
    if [ -z "$expected" ] && [ $status = 0 ]; then return; fi
    if [ -n "$expected" ] && [ $status != 0 ] && grep -q "$expected" out; then return; fi
    failed=$((failed + 1))
    echo "== $name on $ranks ranks of $engine: status $status${expected:+, expected to say \"$expected\"}"
    tail -n 20 out
}
for source in examples/*.rs; do
    name=$(basename "$source" .rs)
    for ranks in 2 3 4; do
        example "$name" $ranks local rankine run -n $ranks
    done
    example "$name" 2 mpi "$MPI_BIN/mpiexec" -n 2 rankine run
done
[ "$(ls examples/*.rs | wc -l)" -ge 57 ]
echo "$ran runs, $failed failed"
[ $failed = 0 ]

# cargo run goes through the same configuration.
RANKINE_RANKS=3 cargo --config "$(rankine sdk cargo-config)" run -q --example reduce --features derive,complex \
    --target wasm32-wasip1 --target-dir "$CACHE/mpi-crate" > out 2> build.log || { cat build.log out; exit 1; }
