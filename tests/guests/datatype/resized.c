// MPI_Type_create_resized: any lower bound and extent, also negative ones, also smaller than the data.
// ranks: 1 2 3
// large: yes
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, vector, nested;
    check_begin(&argc, &argv);
    TRY(MPI_Type_create_resized(MPI_INT, 0, 20, &type));
    check_layout(type, (long[]){0}, 1, 0, 20);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_resized(MPI_INT, -8, 16, &type));
    check_layout(type, (long[]){0}, 1, -8, 16);
    // A contiguous type steps by the extent, and keeps the lower bound.
    TRY(MPI_Type_contiguous(2, type, &nested));
    check_layout(nested, (long[]){0, 16}, 2, -8, 32);
    TRY(MPI_Type_free(&nested));
    TRY(MPI_Type_free(&type));
    // A column of a matrix of 5 columns, resized so that columns follow one another: elements interleave.
    TRY(MPI_Type_vector(4, 1, 5, MPI_INT, &vector));
    TRY(MPI_Type_create_resized(vector, 0, sizeof(int), &type));
    check_layout(type, (long[]){0, 20, 40, 60}, 4, 0, 4);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_free(&vector));
    // Elements that go backwards.
    TRY(MPI_Type_create_resized(MPI_INT, 0, -12, &type));
    check_layout(type, (long[]){0}, 1, 0, -12);
    TRY(MPI_Type_free(&type));
    return check_end();
}
