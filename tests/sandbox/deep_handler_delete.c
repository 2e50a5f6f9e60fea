// The same with a function that deletes an attribute.
// ranks: 1 2
// exit: 134
// stderr: the call stack is exhausted
#define LEVELS 16000
#include "deep.h"

static int key;

static int endless(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)state;
    return forever(0);
}

static void delete_attribute(void)
{
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, endless, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    fail_deep(delete_attribute);
    MPI_Finalize();
    return 0;
}
