// Places for results that lie outside of memory: statuses, numbers, handles, flags, strings.
// ranks: 1 3
#include "hostile.h"

int main(int argc, char **argv)
{
    int value = 7, in = -1;
    MPI_Request request, requests[2];
    hostile_begin(&argc, &argv);
    REFUSED(MPI_Comm_rank(MPI_COMM_WORLD, near_end(2)));
    REFUSED(MPI_Comm_size(MPI_COMM_WORLD, (int *)-4));
    REFUSED(MPI_Comm_dup(MPI_COMM_SELF, near_end(0)));
    REFUSED(MPI_Type_contiguous(2, MPI_INT, near_end(1)));
    REFUSED(MPI_Type_size(MPI_INT, near_end(3)));
    REFUSED(MPI_Type_get_extent(MPI_INT, near_end(3), near_end(0)));
    REFUSED(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, near_end(2)));
    REFUSED(MPI_Get_version(near_end(2), &value));
    REFUSED(MPI_Get_processor_name(near_end(2), &value));
    REFUSED(MPI_Get_processor_name(near_end(MPI_MAX_PROCESSOR_NAME), near_end(0)));
    REFUSED(MPI_Error_string(MPI_ERR_TAG, near_end(4), &value));
    REFUSED(MPI_Comm_get_name(MPI_COMM_WORLD, near_end(4), &value));
    REFUSED(MPI_Get_address(&value, near_end(2)));
    REFUSED(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, near_end(2), MPI_STATUS_IGNORE));
    // The message of a receive whose status can't be written may be gone, but nothing else may be.
    TRY(MPI_Isend(&value, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request));
    if (MPI_Recv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, near_end(31)) == MPI_SUCCESS)
        check_fail(__FILE__, __LINE__, "status", "expected an error, got success");
    int flag = 0;
    for (int tries = 0; tries < 1000 && !flag; tries++)
        TRY(MPI_Iprobe(rank, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    if (flag)
        TRY(MPI_Recv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Irecv(&in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Isend(&value, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &requests[1]));
    REFUSED(MPI_Waitall(2, requests, near_end(63)));
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(in, 7);
    return hostile_end();
}
