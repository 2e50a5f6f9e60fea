// MPI_Psend_init, MPI_Precv_init, MPI_Pready, MPI_Pready_range, MPI_Pready_list, MPI_Parrived: a message handed over in parts.
#include "../check.h"

enum { PARTS = 8, EACH = 500 };
static int out[PARTS * EACH], in[PARTS * EACH];

int main(int argc, char **argv)
{
    MPI_Request send, receive;
    int flag;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    // The receiver may divide the message otherwise than its sender.
    TRY(MPI_Psend_init(out, PARTS, EACH, MPI_INT, next, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    TRY(MPI_Precv_init(in, PARTS / 2, 2 * EACH, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    for (int round = 0; round < 4; round++) {
        memset(in, -1, sizeof in);
        for (int i = 0; i < PARTS * EACH; i++)
            out[i] = rank * 10000 + round * 1000000 + i;
        TRY(MPI_Start(&receive));
        TRY(MPI_Start(&send));
        switch (round) {
        case 0:
            for (int part = PARTS - 1; part >= 0; part--)
                TRY(MPI_Pready(part, send));
            break;
        case 1: TRY(MPI_Pready_range(0, PARTS - 1, send)); break;
        case 2: TRY(MPI_Pready_list(PARTS, (int[]){3, 1, 0, 2, 7, 6, 5, 4}, send)); break;
        case 3:
            TRY(MPI_Pready_range(0, 1, send));
            // Of the whole only the first part of the receiver's is there. MPICH 5.0 sends nothing before all is ready.
            flag = 0;
            while (embedded() && !flag)
                TRY(MPI_Parrived(receive, 0, &flag));
            for (int i = 0; i < 2 * EACH && flag; i++)
                CHECK_INT(in[i], before * 10000 + round * 1000000 + i);
            TRY(MPI_Parrived(receive, PARTS / 2 - 1, &flag));
            CHECK_INT(flag, 0);
            TRY(MPI_Barrier(MPI_COMM_WORLD));
            TRY(MPI_Pready_range(2, PARTS - 1, send));
            break;
        }
        TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
        TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        for (int i = 0; i < PARTS * EACH; i++)
            CHECK_INT(in[i], before * 10000 + round * 1000000 + i);
    }
    TRY(MPI_Request_free(&send));
    TRY(MPI_Request_free(&receive));
    // Parts that have left already are not marked ready again, though nobody has waited yet. MPICH 5.0 does not check.
    TRY(MPI_Psend_init(out, 1, 1, MPI_INT, next, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    TRY(MPI_Precv_init(in, 1, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    TRY(MPI_Start(&receive));
    TRY(MPI_Start(&send));
    TRY(MPI_Pready(0, send));
    flag = 0;
    while (!flag)
        TRY(MPI_Request_get_status(send, &flag, MPI_STATUS_IGNORE));
    if (embedded()) {
        FAILS(MPI_Pready(0, send), MPI_ERR_ARG);
        FAILS(MPI_Pready_range(0, 0, send), MPI_ERR_ARG);
        FAILS(MPI_Pready_list(1, (int[]){0}, send), MPI_ERR_ARG);
        FAILS(MPI_Pready(1, send), MPI_ERR_ARG);
    }
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], before * 10000 + 3 * 1000000);
    TRY(MPI_Request_free(&send));
    TRY(MPI_Request_free(&receive));
    return check_end();
}
