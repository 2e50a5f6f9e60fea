// MPI_Barrier: nobody leaves before everybody has come.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int round = 0; round < 30; round++) {
        int late = round % size, flag = 0;
        // What the last one sends before it enters is there when the others have left.
        if (rank == late)
            for (int to = 0; to < size; to++)
                if (to != late)
                    TRY(MPI_Send(&round, 1, MPI_INT, to, round, MPI_COMM_WORLD));
        TRY(MPI_Barrier(comm));
        if (rank != late) {
            int got = -1;
            TRY(MPI_Iprobe(late, round, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            if (embedded()) // A message in the same process can't be on its way.
                CHECK_INT(flag, 1);
            TRY(MPI_Recv(&got, 1, MPI_INT, late, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_INT(got, round);
        }
    }
    TRY(MPI_Barrier(MPI_COMM_SELF));
    TRY(MPI_Comm_free(&comm));
    FAILS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    return check_end();
}
