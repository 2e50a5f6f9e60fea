// Hints of communicators and sessions: they count once where they are shared, and as often as they are copied.
// ranks: 1 2
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"

enum { MOST = 4000, PAIRS = 200 };
static MPI_Comm comms[MOST];
static MPI_Info infos[MOST];

int main(int argc, char **argv)
{
    static char value[900], key[32];
    MPI_Info info, other;
    hostile_begin(&argc, &argv);
    memset(value, 'v', sizeof value - 1);
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_create(&other));
    for (int i = 0; i < PAIRS; i++) {
        snprintf(key, sizeof key, "hint_%d", i);
        TRY(MPI_Info_set(i % 2 ? info : other, key, value));
    }
    for (int round = 0; round < 2; round++) {
        // Each has the pairs of both, which is a set of its own.
        int code = MPI_SUCCESS, n = 0;
        for (; n < MOST && code == MPI_SUCCESS; n++) {
            code = MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comms[n]);
            if (code == MPI_SUCCESS && (code = MPI_Comm_set_info(comms[n], other)) != MPI_SUCCESS)
                TRY(MPI_Comm_free(&comms[n]));
        }
        if (embedded())
            says_why(__FILE__, __LINE__, code);
        for (int i = 0; i + (code != MPI_SUCCESS) < n; i++)
            TRY(MPI_Comm_free(&comms[i]));
        if (!embedded())
            break;
        int set = MPI_SUCCESS;
        for (n = 0; n < MOST && set == MPI_SUCCESS; n++) {
            TRY(MPI_Info_dup(info, &infos[n]));
            set = MPI_Info_set(infos[n], "own", value);
        }
        says_why(__FILE__, __LINE__, set);
        for (int i = 0; i < n; i++)
            TRY(MPI_Info_free(&infos[i]));
    }
    return hostile_end();
}
