// Objects of every class that are left, each with the place that made it.
// ranks: 1 2
// engines: local
// run: --check
// cc: -g
// exit: 4
// stderr: rankine: check: 7 findings
// stderr: something is made and never freed, or started and never completed (MPI-5.0 section 11.2.2), 3 times
// stderr: never_freed.c:40:5):
// stderr: a communicator, to be freed by MPI_Comm_free
// stderr: a group, to be freed by MPI_Group_free
// stderr: a datatype, to be freed by MPI_Type_free
// stderr: an operation, to be freed by MPI_Op_free
// stderr: an info, to be freed by MPI_Info_free
// stderr: a window, to be freed by MPI_Win_free
// stderr: a request, to be completed by MPI_Wait or freed by MPI_Request_free
#include <mpi.h>

static void sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    for (int at = 0; at < *length; at++)
        ((int *)inout)[at] += ((int *)in)[at];
    (void)type;
}

int main(int argc, char **argv)
{
    int number, rank, size;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Info info;
    MPI_Win win;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_group(comm, &group);
    // Three types by one rank alone; all others are freed.
    for (int time = 0; time < 4; time++) {
        MPI_Type_contiguous(2, MPI_INT, &type);
        if (rank != 0 || time == 1)
            MPI_Type_free(&type);
    }
    MPI_Op_create(sum, 1, &op);
    MPI_Info_create(&info);
    MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, comm, &win);
    MPI_Recv_init(&number, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Finalize();
    return 0;
}
