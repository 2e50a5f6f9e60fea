// MPI_Type_vector, MPI_Type_create_hvector: strides that are positive, negative, zero gaps, of nested types.
// ranks: 1 2 3
// large: yes
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, nested;
    check_begin(&argc, &argv);
    TRY(MPI_Type_vector(3, 2, 4, MPI_INT, &type));
    check_layout(type, (long[]){0, 4, 16, 20, 32, 36}, 6, 0, 40);
    TRY(MPI_Type_create_hvector(2, 1, 100, type, &nested));
    check_layout(nested, (long[]){0, 4, 16, 20, 32, 36, 100, 104, 116, 120, 132, 136}, 12, 0, 140);
    TRY(MPI_Type_free(&nested));
    TRY(MPI_Type_vector(2, 2, 3, type, &nested));
    check_layout(nested, (long[]){0, 4, 16, 20, 32, 36, 40, 44, 56, 60, 72, 76, 120, 124, 136, 140, 152, 156, 160, 164, 176, 180, 192, 196}, 24, 0, 200);
    TRY(MPI_Type_free(&nested));
    TRY(MPI_Type_free(&type));
    // Backwards: the lower bound is negative.
    TRY(MPI_Type_vector(3, 1, -2, MPI_INT, &type));
    check_layout(type, (long[]){0, -8, -16}, 3, -16, 20);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_hvector(2, 2, -20, MPI_INT, &type));
    check_layout(type, (long[]){0, 4, -20, -16}, 4, -20, 28);
    TRY(MPI_Type_free(&type));
    // The stride of a single block does not matter, nor does anything of none.
    TRY(MPI_Type_vector(1, 5, 1000, MPI_INT, &type));
    check_layout(type, (long[]){0, 4, 8, 12, 16}, 5, 0, 20);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_vector(0, 5, 7, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_vector(0, sizeof(count_t) == 8 ? (count_t)(1LL << 62) : 1 << 30, 7, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_hvector(4, 0, 7, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    // A byte stride that is no multiple of the element's size.
    TRY(MPI_Type_create_hvector(3, 1, 6, MPI_INT, &type));
    check_layout(type, (long[]){0, 6, 12}, 3, 0, 16);
    TRY(MPI_Type_free(&type));
    return check_end();
}
