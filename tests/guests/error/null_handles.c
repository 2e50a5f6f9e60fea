// A call that fails leaves a null handle where the new one would have been, whatever was there before.
// ranks: 1 2
#include "../check.h"

// Fails, and leaves this handle in a variable that held another.
#define LEAVES(Type, null, call) \
    do { \
        Type made = (Type)(intptr_t)0x1234; \
        CHECK((call) != MPI_SUCCESS); \
        CHECK(made == (null)); \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Group world;
    int value = 0, beyond = 99, dims[2], periods[2] = {0, 0};
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    dims[0] = dims[1] = size + 1;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));

    LEAVES(MPI_Comm, MPI_COMM_NULL, MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made));
    LEAVES(MPI_Comm, MPI_COMM_NULL, MPI_Cart_sub(MPI_COMM_WORLD, dims, &made));
    LEAVES(MPI_Comm, MPI_COMM_NULL, MPI_Comm_dup(MPI_COMM_NULL, &made));
    LEAVES(MPI_Comm, MPI_COMM_NULL, MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &made));
    LEAVES(MPI_Group, MPI_GROUP_NULL, MPI_Group_incl(world, 1, &beyond, &made));
    LEAVES(MPI_Group, MPI_GROUP_NULL, MPI_Group_union(world, MPI_GROUP_NULL, &made));
    LEAVES(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_contiguous(-1, MPI_INT, &made));
    LEAVES(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_dup(MPI_DATATYPE_NULL, &made));
    LEAVES(MPI_Info, MPI_INFO_NULL, MPI_Info_dup(MPI_INFO_NULL, &made));
    LEAVES(MPI_Request, MPI_REQUEST_NULL, MPI_Isend(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &made));
    LEAVES(MPI_Request, MPI_REQUEST_NULL, MPI_Irecv(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &made));
    LEAVES(MPI_Request, MPI_REQUEST_NULL, MPI_Send_init(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &made));
    LEAVES(MPI_Request, MPI_REQUEST_NULL, MPI_Ibarrier(MPI_COMM_NULL, &made));

    TRY(MPI_Group_free(&world));
    return check_end();
}
