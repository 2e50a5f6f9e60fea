// MPI_Get_hw_resource_info: an info object, that may be empty; its values are true or false.
// ranks: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info = MPI_INFO_NULL;
    char key[MPI_MAX_INFO_KEY + 1], value[16];
    int n = -1, flag, length;
    check_begin(&argc, &argv);
    TRY(MPI_Get_hw_resource_info(&info));
    CHECK(info != MPI_INFO_NULL);
    TRY(MPI_Info_get_nkeys(info, &n));
    for (int i = 0; i < n; i++) {
        TRY(MPI_Info_get_nthkey(info, i, key));
        length = sizeof value;
        TRY(MPI_Info_get_string(info, key, &length, value, &flag));
        CHECK_INT(flag, 1);
        CHECK(strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
    }
    TRY(MPI_Info_free(&info));
    return check_end();
}
