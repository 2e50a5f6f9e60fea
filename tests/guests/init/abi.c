// MPI_Abi_get_version, MPI_Abi_get_info, MPI_Abi_get_fortran_info: what the binary interface is.
#include "../check.h"

static void expect_size(MPI_Info info, const char *key, size_t bytes)
{
    char value[32], expected[32];
    int length = sizeof value, flag = 0;
    TRY(MPI_Info_get_string(info, key, &length, value, &flag));
    if (!flag)
        check_fail(__FILE__, __LINE__, key, "expected a value, got none");
    snprintf(expected, sizeof expected, "%zu", bytes);
    CHECK_STR(value, expected);
}

int main(int argc, char **argv)
{
    int major = -1, minor = -1;
    MPI_Info info;
    MPI_Abi_get_version(&major, &minor);
    CHECK_INT(major, MPI_ABI_VERSION);
    CHECK_INT(minor, MPI_ABI_SUBVERSION);
    check_begin(&argc, &argv);
    TRY(MPI_Abi_get_info(&info));
    CHECK(info != MPI_INFO_NULL);
    expect_size(info, "mpi_aint_size", sizeof(MPI_Aint));
    expect_size(info, "mpi_count_size", sizeof(MPI_Count));
    expect_size(info, "mpi_offset_size", sizeof(MPI_Offset));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Abi_get_fortran_info(&info));
    if (info != MPI_INFO_NULL)
        TRY(MPI_Info_free(&info));
    CHECK_INT(sizeof(MPI_Status), 32);
    CHECK_INT(sizeof(MPI_Comm), sizeof(void *));
    CHECK_INT(sizeof(MPI_Aint), sizeof(void *));
    CHECK_INT(sizeof(MPI_Count), 8);
    CHECK_INT(sizeof(MPI_Offset), 8);
    return check_end();
}
