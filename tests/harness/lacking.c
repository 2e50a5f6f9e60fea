/* Calls a function that the MPI library lacks: an error of that call, which names both, and nothing else. */
#include "../guests/check.h"

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    int length, sum = -1;
    MPI_Info info = MPI_INFO_NULL;
    check_begin(&argc, &argv);
    int code = MPI_Get_hw_resource_info(&info);
    FAILS(code, MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(info == MPI_INFO_NULL);
    TRY(MPI_Error_string(code, text, &length));
    CHECK(strstr(text, "MPI_Get_hw_resource_info") != NULL);
    CHECK(strstr(text, "liblacking_abi.so") != NULL);
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, size * (size - 1) / 2);
    return check_end();
}
