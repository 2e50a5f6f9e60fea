// MPI_Comm_dup, MPI_Comm_compare, MPI_Comm_free: the same group, another context.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm dup, again;
    int result = -1, n, me, flag = -1, got = -1;
    MPI_Request request;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_size(dup, &n));
    TRY(MPI_Comm_rank(dup, &me));
    CHECK_INT(n, size);
    CHECK_INT(me, rank);
    TRY(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    TRY(MPI_Comm_compare(dup, dup, &result));
    CHECK_INT(result, MPI_IDENT);
    // A message in one communicator is not seen in the other.
    TRY(MPI_Isend(&rank, 1, MPI_INT, next, 1, dup, &request));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    int zero = 0;
    TRY(MPI_Sendrecv(&zero, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(got, 0);
    TRY(MPI_Recv(&got, 1, MPI_INT, before, 1, dup, MPI_STATUS_IGNORE));
    CHECK_INT(got, before);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_dup(dup, &again));
    TRY(MPI_Comm_free(&dup));
    CHECK(dup == MPI_COMM_NULL);
    TRY(MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_MAX, again));
    CHECK_INT(got, size - 1);
    TRY(MPI_Comm_free(&again));
    // A communicator freed with a message pending: the message still arrives.
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Irecv(&got, 1, MPI_INT, before, 2, dup, &request));
    MPI_Request send;
    TRY(MPI_Isend(&rank, 1, MPI_INT, next, 2, dup, &send));
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK_INT(got, before);
    // Again and again: identifiers of contexts are given back.
    for (int i = 0; i < 3000; i++) {
        TRY(MPI_Comm_dup(MPI_COMM_SELF, &dup));
        TRY(MPI_Comm_free(&dup));
    }
    FAILS(MPI_Comm_dup(MPI_COMM_NULL, &dup), MPI_ERR_COMM);
    dup = MPI_COMM_NULL;
    FAILS(MPI_Comm_free(&dup), MPI_ERR_COMM);
    FAILS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    FAILS(MPI_Comm_rank(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    return check_end();
}
