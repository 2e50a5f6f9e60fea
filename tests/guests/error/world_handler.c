// Errors that belong to no communicator go to the handler of MPI_COMM_WORLD as long as MPI_COMM_SELF was given none.
// engines: local
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype type;
    int n;
    check_begin(&argc, &argv); // sets MPI_ERRORS_RETURN on both
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    FAILS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    FAILS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    return check_end();
}
