// A message that has come before it is received, and ends within an element of a type with gaps: MPICH 5.0.2 crashes on
// it. A crash of the library is told, with the call, and ends the job.
// engines: mpi
// ranks: 2
// exit: nonzero
// stderr: rank 1: the MPI library crashed in MPI_Recv | it lives on
#include "hostile.h"

int main(int argc, char **argv)
{
    static char bytes[3];
    static double doubles[512];
    MPI_Datatype sparse;
    MPI_Status status;
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &sparse));
    TRY(MPI_Type_commit(&sparse));
    if (rank == 0) {
        TRY(MPI_Send(bytes, 3, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
    } else {
        TRY(MPI_Probe(0, 0, MPI_COMM_WORLD, &status));
        MPI_Recv(doubles, 20, sparse, 0, 0, MPI_COMM_WORLD, &status);
        fprintf(stderr, "it lives on\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 3;
}
