// MPI_Type_indexed, MPI_Type_create_hindexed: blocks of different lengths, out of order, before the origin, empty ones.
// ranks: 1 2 3
// large: yes
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, nested;
    check_begin(&argc, &argv);
    TRY(MPI_Type_indexed(3, (count_t[]){2, 1, 3}, (count_t[]){0, 5, 7}, MPI_INT, &type));
    check_layout(type, (long[]){0, 4, 20, 28, 32, 36}, 6, 0, 40);
    TRY(MPI_Type_free(&type));
    // The order of the blocks is the order in the message.
    TRY(MPI_Type_indexed(3, (count_t[]){1, 2, 1}, (count_t[]){9, 0, -4}, MPI_INT, &type));
    check_layout(type, (long[]){36, 0, 4, -16}, 4, -16, 56);
    TRY(MPI_Type_create_hindexed(2, (count_t[]){1, 2}, (aint_t[]){200, -90}, type, &nested));
    check_layout(nested, (long[]){236, 200, 204, 184, -54, -90, -86, -106, 2, -34, -30, -50}, 12, -106, 346);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_free(&nested));
    TRY(MPI_Type_create_hindexed(4, (count_t[]){1, 0, 2, 0}, (aint_t[]){3, 5000, 30, -4000}, MPI_INT, &type));
    check_layout(type, (long[]){3, 30, 34}, 3, 3, 35);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_indexed(0, NULL, NULL, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    CHECK(MPI_Type_indexed(1, (count_t[]){-1}, (count_t[]){0}, MPI_INT, &type) != MPI_SUCCESS);
    return check_end();
}
