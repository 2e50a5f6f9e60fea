// Types of more than 2^31 bytes: their sizes and extents, MPI_UNDEFINED where an int is too small, and MPI_Type_size_x and its kin.
// ranks: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype block, type, large;
    MPI_Count bytes = -1, lb = -1, extent = -1;
    int small = 0;
    check_begin(&argc, &argv);
    TRY(MPI_Type_contiguous(1 << 30, MPI_BYTE, &block));
    TRY(MPI_Type_contiguous(5, block, &type));
    TRY(MPI_Type_size(block, &small));
    CHECK_INT(small, 1 << 30);
    TRY(MPI_Type_size(type, &small));
    CHECK_INT(small, MPI_UNDEFINED);
    TRY(MPI_Type_size_c(type, &bytes));
    CHECK(bytes == (MPI_Count)5 << 30);
    bytes = -1;
    TRY(MPI_Type_size_x(type, &bytes));
    CHECK(bytes == (MPI_Count)5 << 30);
    TRY(MPI_Type_get_extent_c(type, &lb, &extent));
    CHECK(lb == 0 && extent == (MPI_Count)5 << 30);
    TRY(MPI_Type_get_extent_x(type, &lb, &extent));
    CHECK(lb == 0 && extent == (MPI_Count)5 << 30);
    TRY(MPI_Type_get_true_extent_c(type, &lb, &extent));
    CHECK(lb == 0 && extent == (MPI_Count)5 << 30);
    TRY(MPI_Type_get_true_extent_x(type, &lb, &extent));
    CHECK(lb == 0 && extent == (MPI_Count)5 << 30);
    TRY(MPI_Type_vector_c(2, 1, (MPI_Count)1 << 33, MPI_INT, &large));
    TRY(MPI_Type_size(large, &small));
    CHECK_INT(small, 8);
    TRY(MPI_Type_get_extent_c(large, &lb, &extent));
    CHECK(extent == ((MPI_Count)1 << 35) + 4);
    TRY(MPI_Type_free(&large));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_free(&block));
    return check_end();
}
