// MPI_Type_create_indexed_block, MPI_Type_create_hindexed_block.
// ranks: 1 2 3
// large: yes
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, nested;
    check_begin(&argc, &argv);
    TRY(MPI_Type_create_indexed_block(3, 2, (count_t[]){4, 0, 9}, MPI_INT, &type));
    check_layout(type, (long[]){16, 20, 0, 4, 36, 40}, 6, 0, 44);
    TRY(MPI_Type_create_hindexed_block(2, 1, (aint_t[]){50, -50}, type, &nested));
    check_layout(nested, (long[]){66, 70, 50, 54, 86, 90, -34, -30, -50, -46, -14, -10}, 12, -50, 144);
    TRY(MPI_Type_free(&nested));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_hindexed_block(3, 1, (aint_t[]){1, 11, 6}, MPI_INT, &type));
    check_layout(type, (long[]){1, 11, 6}, 3, 1, 14);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_indexed_block(0, 3, NULL, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_indexed_block(2, 0, (count_t[]){7, 8}, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    return check_end();
}
