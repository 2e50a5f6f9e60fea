// Keyvals that are freed while attributes refer to them live on, and count as long as they do.
// ranks: 1 2
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"

enum { MOST = 1 << 16, OWN = 54 << 20 };

static int keep(MPI_Comm comm)
{
    int key, code = MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Comm_set_attr(comm, key, &made);
    MPI_Comm_free_keyval(&key);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm first;
    hostile_begin(&argc, &argv);
    // Keyvals are small: the program has most of what there is.
    size_t old = __builtin_wasm_memory_grow(0, (OWN >> 16) - __builtin_wasm_memory_size(0));
    CHECK(old != (size_t)-1);
    memset((char *)(old << 16), 1, OWN - (old << 16));
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &first));
    for (int i = 0; i < 200; i++)
        TRY(keep(first));
    if (embedded()) {
        static MPI_Comm comms[MOST];
        EXHAUST(MOST, MPI_Comm_dup(first, &comms[made]));
        for (int i = 0; i < made; i++)
            TRY(MPI_Comm_free(&comms[i]));
    }
    EXHAUST(MOST, keep(first));
    TRY(MPI_Comm_free(&first));
    return hostile_end();
}
