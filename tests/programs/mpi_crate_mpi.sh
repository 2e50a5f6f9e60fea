# The examples of the crate `mpi` on 3 and 4 ranks of the mpi engine.
# full: ranks of an MPI library poll, which takes minutes where they are more than the cores
# seconds: 1800
. "$ROOT/tests/programs/mpi_crate.bash"
for ranks in 3 4; do
    examples $ranks mpi "$MPI_BIN/mpiexec" -n $ranks rankine run
done
echo "$ran runs, $failed failed"
[ $failed = 0 ]
