// A probed message that does not fit: the error goes to the communicator that the message came over.
// ranks: 2
#include "../check.h"

int main(int argc, char **argv)
{
    int data[4] = { 1, 2, 3, 4 };
    check_begin(&argc, &argv);
    for (int count = 2; count <= 4; count++) {
        if (rank == 0) {
            TRY(MPI_Send(data, count, MPI_INT, 1, 0, MPI_COMM_WORLD));
        } else {
            MPI_Message message;
            MPI_Request request;
            TRY(MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
            if (count % 2) {
                FAILS(MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            } else {
                TRY(MPI_Imrecv(data, 1, MPI_INT, &message, &request));
                FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            }
        }
    }
    return check_end();
}
