// MPI_Info_create, _set, _get, _get_string, _get_valuelen, _get_nkeys, _get_nthkey, _delete, _dup, _free.
// ranks: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info, copy;
    char value[64], key[MPI_MAX_INFO_KEY + 1];
    int flag = -1, length = -1, n = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_get_nkeys(info, &n));
    CHECK_INT(n, 0);
    TRY(MPI_Info_set(info, "colour", "blue"));
    TRY(MPI_Info_set(info, "size", "12"));
    TRY(MPI_Info_set(info, "colour", "dark green"));
    TRY(MPI_Info_get_nkeys(info, &n));
    CHECK_INT(n, 2);
    TRY(MPI_Info_get(info, "colour", 63, value, &flag));
    CHECK_INT(flag, 1);
    CHECK_STR(value, "dark green");
    // A short buffer gets as many characters as asked for, and a zero behind.
    memset(value, '#', sizeof value);
    if (embedded()) { // MPICH 5.0 makes an error of it.
        TRY(MPI_Info_get(info, "colour", 4, value, &flag));
        CHECK_STR(value, "dark");
        CHECK_INT(value[5], '#');
    }
    TRY(MPI_Info_get(info, "absent", 63, value, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Info_get_valuelen(info, "colour", &length, &flag));
    CHECK_INT(flag, 1);
    CHECK_INT(length, 10);
    TRY(MPI_Info_get_valuelen(info, "absent", &length, &flag));
    CHECK_INT(flag, 0);
    // With MPI_Info_get_string the length includes the zero, in and out.
    length = 64;
    TRY(MPI_Info_get_string(info, "colour", &length, value, &flag));
    CHECK_INT(flag, 1);
    CHECK_INT(length, 11);
    CHECK_STR(value, "dark green");
    memset(value, '#', sizeof value);
    length = 5;
    TRY(MPI_Info_get_string(info, "colour", &length, value, &flag));
    CHECK_STR(value, "dark");
    CHECK_INT(length, 11);
    CHECK_INT(value[5], '#');
    length = 0;
    TRY(MPI_Info_get_string(info, "colour", &length, NULL, &flag));
    CHECK_INT(flag, 1);
    CHECK_INT(length, 11);
    TRY(MPI_Info_get_string(info, "absent", &length, value, &flag));
    CHECK_INT(flag, 0);
    int seen = 0;
    for (int i = 0; i < 2; i++) {
        TRY(MPI_Info_get_nthkey(info, i, key));
        seen |= strcmp(key, "colour") == 0 ? 1 : strcmp(key, "size") == 0 ? 2 : 4;
    }
    CHECK_INT(seen, 3);
    CHECK(MPI_Info_get_nthkey(info, 2, key) != MPI_SUCCESS);
    TRY(MPI_Info_dup(info, &copy));
    TRY(MPI_Info_delete(info, "colour"));
    FAILS(MPI_Info_delete(info, "colour"), MPI_ERR_INFO_NOKEY);
    TRY(MPI_Info_get_nkeys(info, &n));
    CHECK_INT(n, 1);
    TRY(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    TRY(MPI_Info_get_nkeys(copy, &n));
    CHECK_INT(n, 2);
    TRY(MPI_Info_free(&copy));
    // Too long a key, too long a value, no key.
    char long_text[MPI_MAX_INFO_VAL + 2];
    memset(long_text, 'k', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    TRY(MPI_Info_create(&info));
    FAILS(MPI_Info_set(info, "key", long_text), MPI_ERR_INFO_VALUE);
    long_text[MPI_MAX_INFO_KEY + 1] = 0;
    FAILS(MPI_Info_set(info, long_text, "value"), MPI_ERR_INFO_KEY);
    FAILS(MPI_Info_set(info, "", "value"), MPI_ERR_INFO_KEY);
    TRY(MPI_Info_free(&info));
    CHECK(MPI_Info_free(&info) != MPI_SUCCESS);
    return check_end();
}
