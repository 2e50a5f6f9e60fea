// Sends to oneself, blocking ones too where the receive is posted.
#include "../check.h"

enum { LARGEST = 300000 };
static int out[LARGEST], in[LARGEST];

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Status status;
    check_begin(&argc, &argv);
    for (int count = 0; count <= LARGEST; count = count * 9 + 1) {
        for (int mode = 0; mode < 3; mode++) {
            for (int i = 0; i < count; i++)
                out[i] = mode + i * 3;
            memset(in, -1, sizeof in);
            TRY(MPI_Irecv(in, LARGEST, MPI_INT, rank, mode, MPI_COMM_WORLD, &request));
            if (mode == 0)
                TRY(MPI_Send(out, count, MPI_INT, rank, mode, MPI_COMM_WORLD));
            else if (mode == 1)
                TRY(MPI_Ssend(out, count, MPI_INT, rank, mode, MPI_COMM_WORLD));
            else
                TRY(MPI_Rsend(out, count, MPI_INT, rank, mode, MPI_COMM_WORLD));
            TRY(MPI_Wait(&request, &status));
            CHECK_STATUS(status, rank, mode);
            CHECK_COUNT(status, MPI_INT, count);
            CHECK_BYTES(in, out, count * sizeof(int));
        }
        TRY(MPI_Sendrecv(out, count, MPI_INT, 0, 1, in, count, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
        TRY(MPI_Sendrecv_replace(in, count, MPI_INT, rank, 1, rank, 1, MPI_COMM_WORLD, &status));
        CHECK_BYTES(in, out, count * sizeof(int));
    }
    return check_end();
}
