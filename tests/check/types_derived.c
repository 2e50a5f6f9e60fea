// A struct is received by another order of its members, by a request that is waited for.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: another type than it was sent as
// stderr: datatype=a derived datatype, dest=1
// stderr: element 0 is a 4-byte integer in the one and an 8-byte floating-point number in the other
#include <mpi.h>
#include <stddef.h>

struct item {
    int number;
    double weight;
};

int main(int argc, char **argv)
{
    int rank, lengths[2] = {1, 1};
    struct item items[3] = {{1, 2}, {3, 4}, {5, 6}};
    MPI_Aint places[2] = {offsetof(struct item, number), offsetof(struct item, weight)};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, item;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Aint place = places[0];
        places[0] = places[1], places[1] = place;
        types[0] = MPI_DOUBLE, types[1] = MPI_INT;
    }
    MPI_Type_create_struct(2, lengths, places, types, &item);
    MPI_Type_commit(&item);
    if (rank == 0)
        MPI_Isend(items, 3, item, 1, 5, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(items, 3, item, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&item);
    MPI_Finalize();
    return 0;
}
