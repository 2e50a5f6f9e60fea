// A thousand ranks pass a token around, and reduce.
// engines: local
// ranks: 1000
#include "../guests/check.h"

int main(int argc, char **argv)
{
    int token = 0, sum = 0;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (rank == 0) {
        TRY(MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD));
        TRY(MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(token, size - 1);
    } else {
        TRY(MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        token++;
        TRY(MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD));
    }
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, size * (size - 1) / 2);
    return check_end();
}
