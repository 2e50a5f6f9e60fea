// MPI_Cancel of sends, also twice: a message has come to nothing, or it arrives.
// engines: local
#include "../check.h"

// Longer than what travels without being asked for.
enum { LONG = 20000, TIMES = 8 };

int main(int argc, char **argv)
{
    static char out[LONG], in[LONG];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int time = 0; time < TIMES; time++) {
        int gone = -1, lost = -1;
        MPI_Request request;
        MPI_Status status;
        for (int i = 0; i < LONG; i++)
            out[i] = (char)(i + time);
        TRY(MPI_Isend(out, LONG, MPI_CHAR, next, 1, MPI_COMM_WORLD, &request));
        TRY(MPI_Cancel(&request));
        TRY(MPI_Cancel(&request));
        TRY(MPI_Wait(&request, &status));
        TRY(MPI_Test_cancelled(&status, &gone));
        TRY(MPI_Sendrecv(&gone, 1, MPI_INT, next, 2, &lost, 1, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (!lost) {
            TRY(MPI_Recv(in, LONG, MPI_CHAR, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(memcmp(in, out, LONG) == 0);
        }
    }
    return check_end();
}
