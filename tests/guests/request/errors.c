// MPI_ERR_IN_STATUS: of several completions one fails, and its status says so; the others are delivered.
#include "../check.h"

int main(int argc, char **argv)
{
    int in[4] = {-1, -1, -1, -1}, out[2] = {7, 8}, indices[3], count = 0, flag, code;
    MPI_Request requests[3], sends[3];
    MPI_Status statuses[3];
    check_begin(&argc, &argv);
    for (int round = 0; round < 2; round++) {
        TRY(MPI_Irecv(&in[0], 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]));
        TRY(MPI_Irecv(&in[1], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]));
        TRY(MPI_Irecv(&in[2], 2, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[2]));
        TRY(MPI_Isend(out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &sends[0]));
        TRY(MPI_Isend(out, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, &sends[1]));
        TRY(MPI_Isend(out, 2, MPI_INT, rank, 2, MPI_COMM_WORLD, &sends[2]));
        TRY(MPI_Waitall(3, sends, MPI_STATUSES_IGNORE));
        if (round == 0)
            code = MPI_Waitall(3, requests, statuses);
        else
            do
                code = MPI_Testall(3, requests, &flag, statuses);
            while (code == MPI_SUCCESS && !flag);
        CHECK_INT(check_class(code), MPI_ERR_IN_STATUS);
        CHECK_INT(check_class(statuses[1].MPI_ERROR), MPI_ERR_TRUNCATE);
        if (embedded()) // MPICH 5.0 keeps it after MPI_Testall.
            CHECK(requests[1] == MPI_REQUEST_NULL);
        // The others may be complete, or still pending (MPI_ERR_PENDING).
        for (int i = 0; i < 3; i += 2) {
            int class = check_class(statuses[i].MPI_ERROR);
            CHECK(class == MPI_SUCCESS || class == MPI_ERR_PENDING);
            TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        }
        CHECK_INT(in[0], 7);
        CHECK_INT(in[2], 7);
        CHECK_INT(in[3], 8);
    }
    // MPI_Waitsome and MPI_Waitany.
    TRY(MPI_Irecv(&in[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Isend(out, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, &sends[0]));
    code = MPI_Waitsome(1, requests, &count, indices, statuses);
    CHECK_INT(check_class(code), MPI_ERR_IN_STATUS);
    CHECK_INT(count, 1);
    CHECK_INT(indices[0], 0);
    CHECK_INT(check_class(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
    TRY(MPI_Wait(&sends[0], MPI_STATUS_IGNORE));
    TRY(MPI_Irecv(&in[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Isend(out, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, &sends[0]));
    FAILS(MPI_Waitany(1, requests, indices, statuses), MPI_ERR_TRUNCATE);
    TRY(MPI_Wait(&sends[0], MPI_STATUS_IGNORE));
    return check_end();
}
