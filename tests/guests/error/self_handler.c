// Errors that belong to no communicator go to the handler of MPI_COMM_SELF (MPI 9.3).
#include "../check.h"

static int self_called, world_called;

static void on_self(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    self_called++;
}

static void on_world(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    world_called++;
}

int main(int argc, char **argv)
{
    MPI_Errhandler self, world;
    MPI_Datatype type;
    int n;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_create_errhandler(on_self, &self));
    TRY(MPI_Comm_create_errhandler(on_world, &world));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, self));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, world));
    MPI_Type_contiguous(-1, MPI_INT, &type);
    CHECK_INT(self_called, 1);
    MPI_Group_size(MPI_GROUP_NULL, &n);
    CHECK_INT(self_called, 2);
    CHECK_INT(world_called, 0);
    // The null communicator is no communicator.
    MPI_Comm_size(MPI_COMM_NULL, &n);
    CHECK_INT(self_called, 3);
    CHECK_INT(world_called, 0);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(MPI_Errhandler_free(&self));
    TRY(MPI_Errhandler_free(&world));
    return check_end();
}
