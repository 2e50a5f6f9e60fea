// MPI_INFO_ENV, MPI_Info_create_env: what is known about how the program was started.
// ranks: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info;
    int n = -1, flag, length;
    char value[MPI_MAX_INFO_VAL], key[MPI_MAX_INFO_KEY + 1];
    // May be called before MPI_Init.
    MPI_Info_create_env(argc, argv, &info);
    CHECK(info != MPI_INFO_NULL);
    check_begin(&argc, &argv);
    TRY(MPI_Info_get_nkeys(info, &n));
    CHECK(n >= 0);
    for (int i = 0; i < n; i++) {
        TRY(MPI_Info_get_nthkey(info, i, key));
        length = sizeof value;
        TRY(MPI_Info_get_string(info, key, &length, value, &flag));
        CHECK_INT(flag, 1);
    }
    TRY(MPI_Info_free(&info));
    TRY(MPI_Info_get_nkeys(MPI_INFO_ENV, &n));
    CHECK(n >= 0);
    length = sizeof value;
    TRY(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &length, value, &flag));
    if (flag)
        CHECK(atoi(value) >= size);
    return check_end();
}
