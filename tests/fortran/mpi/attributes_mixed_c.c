// The C side of attributes_mixed.f90.
// part: yes
#include <mpi.h>
#include <stddef.h>

static int box, copied, gone;

int c_box(int value)
{
    box = value;
    return (int)&box;
}
int c_copied(void)
{
    return (int)&copied;
}
int c_gone(void)
{
    int was = gone;
    gone = 0;
    return was;
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    copied = *(int *)in + 3;
    *(void **)out = &copied;
    *flag = 1;
    return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    gone++;
    return MPI_SUCCESS;
}

int c_key(void)
{
    int key;
    MPI_Comm_create_keyval(copy, delete, &key, NULL);
    return key;
}
int c_key_that_duplicates(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    return key;
}
// Stores the address of the box.
void c_set(MPI_Fint comm, int key)
{
    MPI_Comm_set_attr(MPI_Comm_f2c(comm), key, &box);
}
// What the attribute points to, whoever has set it; -1 if there is none.
int c_get(MPI_Fint comm, int key)
{
    int *value, found;
    MPI_Comm_get_attr(MPI_Comm_f2c(comm), key, &value, &found);
    return found ? *value : -1;
}
int c_get_type(MPI_Fint type, int key)
{
    MPI_Aint *value;
    int found;
    MPI_Type_get_attr(MPI_Type_f2c(type), key, &value, &found);
    return found ? (int)*value : -1;
}
int c_get_win(MPI_Fint win, int key)
{
    MPI_Aint *value;
    int found;
    MPI_Win_get_attr(MPI_Win_f2c(win), key, &value, &found);
    return found ? (int)*value : -1;
}
int c_base_of(MPI_Fint win)
{
    void *base;
    int found;
    MPI_Win_get_attr(MPI_Win_f2c(win), MPI_WIN_BASE, &base, &found);
    return found ? (int)base : -1;
}
