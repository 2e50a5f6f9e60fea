// MPI_Buffer_attach, MPI_Buffer_detach, MPI_Buffer_flush, MPI_Buffer_iflush, MPI_Bsend: a buffered send never waits for its receive.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    enum { COUNT = 1000, MESSAGES = 4 };
    static char space[MESSAGES * (COUNT * sizeof(int) + MPI_BSEND_OVERHEAD)];
    int out[COUNT], in[COUNT], flag;
    void *detached = NULL;
    count_t bytes = 0;
    MPI_Request request;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Buffer_attach(space, sizeof space));
    // Two buffers at a time are one too many.
    CHECK(MPI_Buffer_attach(in, sizeof in) != MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        // Everybody sends before anybody receives.
        for (int message = 0; message < MESSAGES; message++) {
            for (int i = 0; i < COUNT; i++)
                out[i] = rank + 100 * message + i;
            TRY(MPI_Bsend(out, COUNT, MPI_INT, next, message, MPI_COMM_WORLD));
            // The message lies in the buffer: what is written here now is not sent.
            memset(out, 0, sizeof out);
        }
        for (int message = 0; message < MESSAGES; message++) {
            TRY(MPI_Recv(in, COUNT, MPI_INT, before, message, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < COUNT; i++)
                CHECK_INT(in[i], before + 100 * message + i);
        }
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        if (round == 0)
            TRY(MPI_Buffer_flush());
        if (round == 1) {
            TRY(MPI_Buffer_iflush(&request));
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request == MPI_REQUEST_NULL);
        }
    }
    TRY(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == space);
    CHECK_INT(bytes, sizeof space);
    // Too small a buffer is an error, and so is none.
    TRY(MPI_Buffer_attach(space, 100 + MPI_BSEND_OVERHEAD));
    FAILS(MPI_Bsend(out, COUNT, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    TRY(MPI_Buffer_detach(&detached, &bytes));
    FAILS(MPI_Bsend(out, COUNT, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    return check_end();
}
