// MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init, MPI_Recv_init, MPI_Start, MPI_Startall, MPI_Request_free.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    enum { MODES = 4, COUNT = 500, ROUNDS = 5 };
    static int out[MODES][COUNT], in[MODES][COUNT];
    static char buffer[2 * (sizeof out[0] + MPI_BSEND_OVERHEAD)];
    MPI_Request receives[MODES], sends[MODES], all[2];
    MPI_Status statuses[MODES], status;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size, flag;
    TRY(MPI_Buffer_attach(buffer, sizeof buffer));
    TRY(MPI_Send_init(out[0], COUNT, MPI_INT, next, 0, MPI_COMM_WORLD, &sends[0]));
    TRY(MPI_Ssend_init(out[1], COUNT, MPI_INT, next, 1, MPI_COMM_WORLD, &sends[1]));
    TRY(MPI_Bsend_init(out[2], COUNT, MPI_INT, next, 2, MPI_COMM_WORLD, &sends[2]));
    TRY(MPI_Rsend_init(out[3], COUNT, MPI_INT, next, 3, MPI_COMM_WORLD, &sends[3]));
    for (int mode = 0; mode < MODES; mode++)
        TRY(MPI_Recv_init(in[mode], COUNT, MPI_INT, before, mode, MPI_COMM_WORLD, &receives[mode]));
    // An inactive request is complete at once, with the empty status, and stays.
    TRY(MPI_Test(&receives[0], &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_EMPTY(status, MPI_ANY_SOURCE);
    CHECK(receives[0] != MPI_REQUEST_NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (int mode = 0; mode < MODES; mode++)
            for (int i = 0; i < COUNT; i++) {
                out[mode][i] = rank + 10 * round + 100 * mode + 1000 * i;
                in[mode][i] = -1;
            }
        TRY(MPI_Startall(MODES, receives));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        for (int mode = 0; mode < MODES; mode++)
            TRY(MPI_Start(&sends[mode]));
        TRY(MPI_Waitall(MODES, receives, statuses));
        TRY(MPI_Waitall(MODES, sends, MPI_STATUSES_IGNORE));
        for (int mode = 0; mode < MODES; mode++) {
            CHECK(sends[mode] != MPI_REQUEST_NULL);
            CHECK(receives[mode] != MPI_REQUEST_NULL);
            CHECK_STATUS(statuses[mode], before, mode);
            CHECK_COUNT(statuses[mode], MPI_INT, COUNT);
            for (int i = 0; i < COUNT; i++)
                CHECK_INT(in[mode][i], before + 10 * round + 100 * mode + 1000 * i);
        }
    }
    for (int mode = 0; mode < MODES; mode++) {
        TRY(MPI_Request_free(&sends[mode]));
        CHECK(sends[mode] == MPI_REQUEST_NULL);
        TRY(MPI_Request_free(&receives[mode]));
    }
    // Persistent requests with nobody as a partner start and complete like any other.
    TRY(MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &all[0]));
    TRY(MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &all[1]));
    TRY(MPI_Startall(2, all));
    TRY(MPI_Waitall(2, all, statuses));
    if (embedded()) // MPICH 5.0 says MPI_ANY_SOURCE.
        CHECK_EMPTY(statuses[1], MPI_PROC_NULL);
    TRY(MPI_Request_free(&all[0]));
    TRY(MPI_Request_free(&all[1]));
    void *detached;
    count_t bytes;
    TRY(MPI_Buffer_detach(&detached, &bytes));
    return check_end();
}
