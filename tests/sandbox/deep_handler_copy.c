// The same with a function of an attribute, which copying a communicator calls.
// ranks: 1 2
// exit: 134
// stderr: the call stack is exhausted
#define LEVELS 16000
#include "deep.h"

static int endless(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)state;
    (void)in;
    (void)out;
    *flag = 0;
    return forever(0);
}

static void duplicate(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
}

int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(endless, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    fail_deep(duplicate);
    MPI_Finalize();
    return 0;
}
