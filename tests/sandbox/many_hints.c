// Info objects of many pairs, copied and changed: the time of a call grows with the pairs, and not with their square. Where a call is about
// one key, it hardly grows with the others.
// ranks: 2
// engines: local
#include "hostile.h"

enum { PAIRS = 20000, COPIES = 400, MANY = 500000 };

static void name(char key[32], int i)
{
    snprintf(key, 32, "a key with number %d", i);
}

/* Sets, asks for and removes half a million keys, one by one and in several orders. */
static void one_by_one(void)
{
    char key[32], value[32], wanted[32];
    int nkeys = -1, flag = -1;
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    for (int i = 0; i < MANY; i++) {
        name(key, i);
        TRY(MPI_Info_set(info, key, "0"));
    }
    for (int i = 0; i < MANY; i++) {
        TRY(MPI_Info_get_nthkey(info, i, key));
        snprintf(value, sizeof value, "%d", i);
        TRY(MPI_Info_set(info, key, value));
    }
    // Every other one goes: those that stay keep their order.
    for (int i = 0; i < MANY; i += 2) {
        name(key, i);
        TRY(MPI_Info_delete(info, key));
        FAILS(MPI_Info_delete(info, key), MPI_ERR_INFO_NOKEY);
    }
    // The first one goes again and again, while new ones come at the end.
    for (int i = 1; i < MANY; i += 2) {
        TRY(MPI_Info_get_nthkey(info, 0, key));
        name(wanted, i);
        CHECK(strcmp(key, wanted) == 0);
        TRY(MPI_Info_get(info, key, sizeof value - 1, value, &flag));
        CHECK(flag && atoi(value) == i);
        TRY(MPI_Info_delete(info, key));
        if (i % 4 == 1) {
            name(key, MANY + i);
            TRY(MPI_Info_set(info, key, "late"));
        }
    }
    TRY(MPI_Info_get_nkeys(info, &nkeys));
    CHECK_INT(nkeys, MANY / 4);
    TRY(MPI_Info_get_nthkey(info, nkeys - 1, key));
    name(wanted, MANY + MANY - 3);
    CHECK(strcmp(key, wanted) == 0);
    TRY(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    char key[32], value[32];
    int nkeys = -1, flag = -1;
    MPI_Info info, copy;
    MPI_Comm comm;
    hostile_begin(&argc, &argv);
    TRY(MPI_Info_create(&info));
    for (int i = 0; i < PAIRS; i++) {
        name(key, i);
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
    one_by_one();
    return hostile_end();
}
