// Info objects of many pairs, copied and changed: the time of a call grows with the pairs, and not with their square.
// ranks: 1 2
// engines: local
#include "hostile.h"

enum { PAIRS = 20000, COPIES = 400 };

int main(int argc, char **argv)
{
    char key[32], value[32];
    int nkeys = -1, flag = -1;
    MPI_Info info, copy;
    MPI_Comm comm;
    hostile_begin(&argc, &argv);
    TRY(MPI_Info_create(&info));
    for (int i = 0; i < PAIRS; i++) {
        snprintf(key, sizeof key, "a key with number %d", i);
        TRY(MPI_Info_set(info, key, "0"));
    }
    TRY(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm));
    for (int i = 0; i < COPIES; i++) {
        TRY(MPI_Info_dup(info, &copy));
        snprintf(value, sizeof value, "%d", i);
        TRY(MPI_Info_set(copy, key, value));
        TRY(MPI_Comm_set_info(comm, copy));
        TRY(MPI_Info_free(&copy));
    }
    TRY(MPI_Comm_get_info(comm, &copy));
    TRY(MPI_Info_get_nkeys(copy, &nkeys));
    CHECK_INT(nkeys, PAIRS);
    TRY(MPI_Info_get(copy, key, sizeof value - 1, value, &flag));
    CHECK(flag && atoi(value) == COPIES - 1);
    TRY(MPI_Info_get(info, key, sizeof value - 1, value, &flag));
    CHECK(flag && atoi(value) == 0);
    TRY(MPI_Info_free(&copy));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Comm_free(&comm));
    return hostile_end();
}
