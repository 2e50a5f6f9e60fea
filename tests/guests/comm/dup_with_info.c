// MPI_Comm_dup_with_info, MPI_Comm_set_info, MPI_Comm_get_info: hints that the library doesn't know may vanish, but not fail.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm dup;
    MPI_Info info, used;
    int result, keys = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    TRY(MPI_Info_set(info, "a_key_of_nobody", "value"));
    TRY(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup));
    TRY(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    TRY(MPI_Comm_get_info(dup, &used));
    CHECK(used != MPI_INFO_NULL);
    TRY(MPI_Info_get_nkeys(used, &keys));
    CHECK(keys >= 0);
    // A new object each time, that is ours to change and free.
    TRY(MPI_Info_set(used, "another", "one"));
    TRY(MPI_Info_free(&used));
    TRY(MPI_Comm_set_info(dup, info));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Comm_get_info(dup, &used));
    TRY(MPI_Info_free(&used));
    TRY(MPI_Comm_get_info(MPI_COMM_WORLD, &used));
    TRY(MPI_Info_free(&used));
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &dup));
    TRY(MPI_Comm_free(&dup));
    return check_end();
}
