// MPI_Isendrecv, MPI_Isendrecv_replace: several at a time, the status is the receive's.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    enum { COUNT = 5000, SHIFTS = 4 };
    static int out[SHIFTS][COUNT], in[SHIFTS][COUNT], both[SHIFTS][COUNT];
    MPI_Request requests[2 * SHIFTS];
    MPI_Status statuses[2 * SHIFTS];
    check_begin(&argc, &argv);
    for (int count = 0; count <= COUNT; count = 70 * count + 1) {
        for (int s = 0; s < SHIFTS; s++) {
            int to = (rank + s) % size, from = (rank + s * (size - 1)) % size;
            for (int i = 0; i < count; i++)
                out[s][i] = both[s][i] = rank + 100 * s + 1000 * i;
            TRY(MPI_Isendrecv(out[s], count, MPI_INT, to, s, in[s], COUNT, MPI_INT, from, s, MPI_COMM_WORLD, &requests[s]));
            TRY(MPI_Isendrecv_replace(both[s], count, MPI_INT, to, 50 + s, from, 50 + s, MPI_COMM_WORLD, &requests[SHIFTS + s]));
        }
        TRY(MPI_Waitall(2 * SHIFTS, requests, statuses));
        for (int s = 0; s < SHIFTS; s++) {
            int from = (rank + s * (size - 1)) % size;
            if (embedded()) { // MPICH 5.0 leaves the status empty.
                CHECK_STATUS(statuses[s], from, s);
                CHECK_COUNT(statuses[s], MPI_INT, count);
                CHECK_STATUS(statuses[SHIFTS + s], from, 50 + s);
            }
            for (int i = 0; i < count; i++) {
                CHECK_INT(in[s][i], from + 100 * s + 1000 * i);
                CHECK_INT(both[s][i], from + 100 * s + 1000 * i);
            }
        }
    }
    TRY(MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 0, in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests));
    TRY(MPI_Wait(requests, statuses));
    if (embedded())
        CHECK_EMPTY(statuses[0], MPI_PROC_NULL);
    return check_end();
}
