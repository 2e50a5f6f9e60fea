// MPI_Init, MPI_Initialized, MPI_Finalize, MPI_Finalized: what they say before, between and after; what Finalize deletes.
#include "../check.h"

static int deleted;

// Attributes of MPI_COMM_SELF are deleted first of all, while MPI still works, the last one set first (MPI 11.2.4).
static int on_finalize(MPI_Comm comm, int keyval, void *value, void *state)
{
    int is_finalized = 1, same;
    (void)keyval;
    MPI_Finalized(&is_finalized);
    CHECK_INT(is_finalized, 0);
    TRY(MPI_Comm_compare(comm, MPI_COMM_SELF, &same));
    CHECK_INT(same, MPI_IDENT);
    CHECK_INT(*(int *)value, 2 - deleted);
    CHECK(state == &deleted);
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int flag = -1, first, second, one = 1, two = 2;
    MPI_Initialized(&flag);
    CHECK_INT(flag, 0);
    MPI_Finalized(&flag);
    CHECK_INT(flag, 0);
    check_begin(&argc, &argv);
    TRY(MPI_Initialized(&flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Finalized(&flag));
    CHECK_INT(flag, 0);
    CHECK(rank >= 0 && rank < size);
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &first, &deleted));
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &second, &deleted));
    TRY(MPI_Comm_set_attr(MPI_COMM_SELF, first, &one));
    TRY(MPI_Comm_set_attr(MPI_COMM_SELF, second, &two));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Finalize());
    CHECK_INT(deleted, 2);
    MPI_Initialized(&flag);
    CHECK_INT(flag, 1);
    MPI_Finalized(&flag);
    CHECK_INT(flag, 1);
    if (rank == 0)
        puts("OK");
    return 0;
}
