// A null pointer where a result belongs is an error, also in a memory whose address 0 exists.
// ranks: 1
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int n;
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    FAILS(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    FAILS(MPI_Comm_group(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    FAILS(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
    FAILS(MPI_Group_size(group, NULL), MPI_ERR_ARG);
    FAILS(MPI_Group_union(group, group, NULL), MPI_ERR_ARG);
    FAILS(MPI_Type_contiguous(2, MPI_INT, NULL), MPI_ERR_ARG);
    FAILS(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
    TRY(MPI_Type_size(MPI_INT, &n));
    // Arrays without elements need no address.
    TRY(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    MPI_Group_free(&group);
    return check_end();
}
