// Opening a file and making a window copy no attributes of the communicator: nobody duplicates it.
// ranks: 1 2
// run: --dir {scratch}::/tmp
// native: no (the file lies where the harness has granted a folder)
#include "../check.h"
#include "../own_number.h"

static int copies;

static int copy(MPI_Comm comm, int keyval, void *state, void *value, void *to, int *flag)
{
    int number;
    (void)state;
    copies++;
    // What runs meanwhile is another function of MPI.
    TRY(MPI_Comm_rank(comm, &number));
    TRY(MPI_Comm_size(comm, &number));
    (void)keyval;
    *(void **)to = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int keyval, void *state, void *value, void *to, int *flag)
{
    (void)comm, (void)keyval, (void)state, (void)value, (void)to;
    copies++;
    *flag = 0;
    return MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    int keyvals[3], flag, value = 7;
    char name[64];
    void *got;
    MPI_File file;
    MPI_Win win;
    MPI_Comm dup;
    check_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-attributes-%d-%d", size, own_number());
    for (int i = 0; i < 3; i++) {
        TRY(MPI_Comm_create_keyval(i < 2 ? copy : refuse, MPI_COMM_NULL_DELETE_FN, &keyvals[i], NULL));
        TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, keyvals[i], &value));
    }
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file));
    TRY(MPI_File_close(&file));
    TRY(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_free(&win));
    CHECK_INT(copies, 0);
    // What a program duplicates itself has all of them, and fails where one can't be copied.
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyvals[2]));
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_INT(copies, 2);
    for (int i = 0; i < 2; i++) {
        TRY(MPI_Comm_get_attr(dup, keyvals[i], &got, &flag));
        CHECK(flag && got == &value);
    }
    TRY(MPI_Comm_free(&dup));
    for (int i = 0; i < 2; i++)
        TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyvals[i]));
    return check_end();
}
