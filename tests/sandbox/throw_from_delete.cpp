// An exception that leaves a function which deletes an attribute: of a datatype, when it is freed.
// ranks: 1 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Type_free
// stderr-not: deadlock
#include <mpi.h>

static int remove(MPI_Datatype, int, void *, void *)
{
    throw "no";
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    int key;
    MPI_Init(&argc, &argv);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, remove, &key, nullptr);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, key, nullptr);
    try {
        MPI_Type_free(&type);
    } catch (const char *) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
