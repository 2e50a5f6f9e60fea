# All examples of the crate `mpi` (rsmpi), unmodified, on 2 to 4 ranks of the embedded engine and 2 of the mpi engine; those with
# threads for the target that has them too.
# seconds: 900
. "$ROOT/tests/programs/mpi_crate.bash"
sources=(examples/*.rs)
[ ${#sources[@]} -ge 57 ]
# Three ranks, of which the others tell most, with --full.
for ranks in 2 ${RANKINE_TEST_FULL:+3} 4; do
    examples "$ranks" local rankine run -n "$ranks"
done
examples 2 mpi "$MPI_BIN/mpiexec" -n 2 rankine run
threaded 2 local rankine run -n 2
threaded 2 mpi "$MPI_BIN/mpiexec" -n 2 rankine run
echo "$ran runs, $failed failed"
[ $failed = 0 ]

# cargo run goes through the same configuration.
RANKINE_RANKS=3 cargo --config "$(rankine sdk cargo-config)" run -q --example reduce --features derive,complex \
    --target wasm32-wasip1 --target-dir "$CACHE/mpi-crate" > out 2> build.log || { cat build.log out; exit 1; }
