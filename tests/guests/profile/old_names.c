// The removed names of MPI-1 that programs still use: the header maps them to their successors.
// native: no (the header of the standard interface has none of them)
#include "../check.h"

static int called;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    called++;
}

int main(int argc, char **argv)
{
    struct {
        int a;
        double b;
    } out, in = {0, 0};
    MPI_Aint places[2], start, extent, bound;
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type;
    MPI_Errhandler mine, got;
    int lengths[2] = {1, 1}, value = 0;
    check_begin(&argc, &argv);
    out.a = 5;
    out.b = 2.5;
    TRY(MPI_Address(&out, &start));
    TRY(MPI_Address(&out.a, &places[0]));
    TRY(MPI_Address(&out.b, &places[1]));
    places[0] -= start;
    places[1] -= start;
    TRY(MPI_Type_struct(2, lengths, places, types, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_extent(type, &extent));
    CHECK_INT(extent, sizeof out);
    TRY(MPI_Type_lb(type, &bound));
    CHECK_INT(bound, 0);
    TRY(MPI_Type_ub(type, &bound));
    CHECK_INT(bound, sizeof out);
    TRY(MPI_Sendrecv(&out, 1, type, rank, 0, &in, 1, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(in.a, 5);
    CHECK_REAL(in.b, 2.5);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_hvector(2, 1, 8, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_hindexed(2, lengths, places, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Errhandler_create(handler, &mine));
    TRY(MPI_Errhandler_set(MPI_COMM_WORLD, mine));
    MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    CHECK_INT(called, 1);
    TRY(MPI_Errhandler_get(MPI_COMM_WORLD, &got));
    TRY(MPI_Errhandler_free(&got));
    TRY(MPI_Errhandler_free(&mine));
    return check_end();
}
