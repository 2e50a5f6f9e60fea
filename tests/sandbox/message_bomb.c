// Messages without end to a rank that does not receive: what the host keeps for them is bounded, the sender waits or is refused.
// ranks: 2 3
#include "hostile.h"

int main(int argc, char **argv)
{
    enum { MESSAGES = 40000, COUNT = 8000 };
    static int out[COUNT], in[COUNT];
    hostile_begin(&argc, &argv);
    if (rank == 1)
        // 1.2 GB, if nobody stops it.
        for (int n = 0; n < MESSAGES; n++) {
            out[0] = n;
            TRY(MPI_Send(out, COUNT, MPI_INT, 0, 3, MPI_COMM_WORLD));
        }
    if (rank == 0) {
        double start = MPI_Wtime();
        while (MPI_Wtime() - start < 0.5)
            ;
        for (int n = 0; n < MESSAGES; n++) {
            TRY(MPI_Recv(in, COUNT, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_INT(in[0], n);
        }
    }
    return hostile_end();
}
