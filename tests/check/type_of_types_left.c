// The inner of two datatypes is forgotten.
// ranks: 1 2
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 1 finding
// stderr: something is made and never freed, or started and never completed
// stderr: MPI_Type_contiguous(
// stderr: type_of_types_left.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Datatype row, block;
    MPI_Type_contiguous(4, MPI_DOUBLE, &row);
    MPI_Type_vector(3, 1, 2, row, &block);
    MPI_Type_commit(&block);
    MPI_Type_free(&block);
    return MPI_Finalize();
}
