// MPI_Type_dup: the same layout, committed if the original was, alive when the original is freed.
// large: yes
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, copy;
    int in = 0;
    check_begin(&argc, &argv);
    TRY(MPI_Type_vector(3, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_dup(type, &copy));
    CHECK(copy != type);
    TRY(MPI_Type_free(&type));
    // The duplicate of a committed type is committed: this would fail otherwise.
    TRY(MPI_Sendrecv(NULL, 0, copy, rank, 0, NULL, 0, copy, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check_layout(copy, (long[]){0, 8, 16}, 3, 0, 20);
    TRY(MPI_Type_free(&copy));
    TRY(MPI_Type_dup(MPI_INT, &copy));
    TRY(MPI_Sendrecv(&rank, 1, copy, rank, 0, &in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(in, rank);
    TRY(MPI_Type_free(&copy));
    return check_end();
}
