// MPI_Parrived: a partition without elements has not arrived before its message was started, and has when it is complete.
// ranks: 2
#include "../check.h"

int main(int argc, char **argv)
{
    char byte[1];
    int flag = -1;
    MPI_Request request;
    check_begin(&argc, &argv);
    if (rank == 0)
        TRY(MPI_Psend_init(byte, 2, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    else
        TRY(MPI_Precv_init(byte, 2, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int turn = 0; turn < 3; turn++) {
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == 1) {
            TRY(MPI_Start(&request));
            TRY(MPI_Parrived(request, 0, &flag));
            CHECK_INT(flag, 0);
            TRY(MPI_Barrier(MPI_COMM_WORLD));
            if (embedded()) // MPICH 5.0 never sets the flag of a partition without elements.
                while (!flag)
                    TRY(MPI_Parrived(request, 1, &flag));
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            TRY(MPI_Barrier(MPI_COMM_WORLD));
            TRY(MPI_Start(&request));
            TRY(MPI_Pready_range(0, 1, request));
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        if (embedded()) { // It is not active now.
            flag = 1;
            if (rank == 1)
                TRY(MPI_Parrived(request, 0, &flag));
            CHECK_INT(flag, 1);
        }
    }
    TRY(MPI_Request_free(&request));
    return check_end();
}
