# What --check finds on three nodes, each a process of an MPI library's launcher: it is told once, by the first.
cat > left.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, number = 3;
    float other;
    MPI_Comm parts;
    MPI_Datatype pair;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    // A message between the last two nodes, of which node 0 hears nothing; sent by a request that is started.
    if (rank == 1) {
        MPI_Send_init(&number, 1, MPI_INT, 2, 4, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (rank == 2)
        MPI_Recv(&other, 1, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // Whose first rank is on the last node.
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &parts);
    MPI_Reduce(&rank, &number, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, 0, parts);
    MPI_Comm_free(&parts);
    return MPI_Finalize();
}
END
rankine cc -g -o left.wasm left.c
on_three() { "$MPI_BIN/mpiexec" -n 3 rankine run --engine nodes -n 1 "$@" left.wasm 2> said; }
status=0
on_three --check=found.json || status=$?
test $status = 4
grep -q '^rankine: check: 3 findings$' said
for line in 'sent by rank 1 at main (.*left.c:16:9):' 'MPI_Send_init(.*dest=2' 'received by rank 2 at main' \
    'ranks name different operations' 'MPI_SUM in ranks 0, 2; MPI_MAX in rank 1' \
    'made by ranks 0, 1, 2 at main (.*left.c:13:5)'; do
    grep -q "$line" said || { cat said; echo "lacks: $line"; exit 1; }
done
test "$(grep -c '"class"' found.json)" = 3
# All check, or none does.
if "$MPI_BIN/mpiexec" -n 1 rankine run --engine nodes -n 1 left.wasm : -n 1 rankine run --engine nodes -n 1 --check left.wasm 2> said; then
    exit 1
fi
grep -q "node 1 and node 0 don't both have --check" said
