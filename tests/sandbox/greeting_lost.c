// A partitioned send that fails for want of a request, while the receiver keeps even short messages waiting: its receiver hears nothing of it.
// ranks: 2
// engines: local
#include "hostile.h"

enum { REQUESTS = 1 << 20, VALUE = 0x5eed };
static char big[1024];
static MPI_Request full[REQUESTS], waiting[1 << 18];

int main(int argc, char **argv)
{
    int n = 0, sent = 0, flag = 0, code = MPI_SUCCESS;
    static int parts[4], got[4];
    MPI_Request send, receive;
    hostile_begin(&argc, &argv);
    if (rank == 0) {
        do {
            TRY(MPI_Isend(big, sizeof big, MPI_BYTE, 1, 9, MPI_COMM_WORLD, &waiting[sent]));
            TRY(MPI_Test(&waiting[sent++], &flag, MPI_STATUS_IGNORE));
        } while (flag);
        while ((code = MPI_Send_init(big, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &full[n])) == MPI_SUCCESS)
            n++;
        FAILS(code, MPI_ERR_NO_MEM);
        FAILS(MPI_Psend_init(big, 1, 16, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_NO_MEM);
        // With room for one request, which its greeting needs too.
        TRY(MPI_Request_free(&full[--n]));
        FAILS(MPI_Psend_init(big, 1, 16, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_NO_MEM);
        // Whatever was freed is something else by now.
        for (int i = 0; i < 64; i++) {
            MPI_Datatype type;
            TRY(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){i, 1 << 30}, MPI_BYTE, &type));
        }
        TRY(MPI_Send(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD));
        TRY(MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        while (n > 0)
            TRY(MPI_Request_free(&full[--n]));
        for (int i = 0; i < 4; i++)
            parts[i] = VALUE + i;
        TRY(MPI_Psend_init(parts, 4, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
        TRY(MPI_Start(&send));
        TRY(MPI_Pready_range(0, 3, send));
        TRY(MPI_Send(&sent, 1, MPI_INT, 1, 4, MPI_COMM_WORLD));
        TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
        TRY(MPI_Request_free(&send));
        TRY(MPI_Waitall(sent, waiting, MPI_STATUSES_IGNORE));
    } else {
        TRY(MPI_Recv(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        TRY(MPI_Precv_init(got, 1, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        TRY(MPI_Start(&receive));
        for (int i = 0; i < 1000; i++) {
            TRY(MPI_Test(&receive, &flag, MPI_STATUS_IGNORE));
            CHECK_INT(flag, 0);
        }
        TRY(MPI_Send(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD));
        TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        for (int i = 0; i < 4; i++)
            CHECK_INT(got[i], VALUE + i);
        TRY(MPI_Request_free(&receive));
        TRY(MPI_Recv(&sent, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < sent; i++)
            TRY(MPI_Recv(big, sizeof big, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return hostile_end();
}
