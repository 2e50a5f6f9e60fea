/* Attributes, which are integers in Fortran, and the callbacks of their keys.
 *
 * MPI keeps a pointer for an attribute; here it is the integer itself. The attributes that MPI predefines are pointers
 * to integers for C and the integers themselves for Fortran. A key's callbacks are C functions below: they find
 * Fortran's procedures in the extra state. */
#include "glue.h"
#include <stdlib.h>

#define BOTH(name) ALSO(pmpi_##name##_, mpi_##name##_)
#define ALL(name) BOTH(name); ALSO(pmpi_##name##_, pmpi_##name##_f08_); ALSO(pmpi_##name##_, mpi_##name##_f08_)

/* Fortran's callbacks: everything by reference, the same for every class of handles. */
typedef void copy_procedure(void *handle, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out, int *flag,
                            int *ierror);
typedef void delete_procedure(void *handle, int *keyval, MPI_Aint *value, MPI_Aint *extra, int *ierror);

/* The extra state of a key that Fortran made; it lives as long as attributes may be left that have the key. */
struct key {
    copy_procedure *copy;
    delete_procedure *delete;
    MPI_Aint extra;
};

static struct key *new_key(copy_procedure *copy, delete_procedure *delete, MPI_Aint extra)
{
    struct key *key = malloc(sizeof *key);
    if (key)
        *key = (struct key){copy, delete, extra};
    return key;
}

static int copy(void *handle, int keyval, struct key *key, void *in, void *out, int *flag)
{
    MPI_Aint value_in = (MPI_Aint)in, value_out = 0;
    int ierror = MPI_SUCCESS;
    key->copy(&handle, &keyval, &key->extra, &value_in, &value_out, flag, &ierror);
    *(MPI_Aint *)out = value_out;
    return ierror;
}

static int delete(void *handle, int keyval, void *value, struct key *key)
{
    MPI_Aint value_in = (MPI_Aint)value;
    int ierror = MPI_SUCCESS;
    key->delete(&handle, &keyval, &value_in, &key->extra, &ierror);
    return ierror;
}

/* A class of handles that carry attributes. */
#define CLASS(Class, class, Handle)                                                                                     \
    static int class##_copy(Handle handle, int keyval, void *extra, void *in, void *out, int *flag)                     \
    {                                                                                                                   \
        return copy(handle, keyval, extra, in, out, flag);                                                              \
    }                                                                                                                   \
    static int class##_delete(Handle handle, int keyval, void *value, void *extra)                                      \
    {                                                                                                                   \
        return delete(handle, keyval, value, extra);                                                                    \
    }                                                                                                                   \
    void pmpi_##class##_create_keyval_(copy_procedure *copy, delete_procedure *delete, int *keyval, MPI_Aint *extra,    \
                                       int *ierror)                                                                     \
    {                                                                                                                   \
        struct key *key = new_key(copy, delete, *extra);                                                                \
        int code = MPI_ERR_NO_MEM;                                                                                      \
        if (key)                                                                                                        \
            code = MPI_##Class##_create_keyval(class##_copy, class##_delete, keyval, key);                              \
        return_code(ierror, code);                                                                                      \
    }                                                                                                                   \
    ALL(class##_create_keyval);                                                                                         \
    void pmpi_##class##_set_attr_(Handle *handle, int *keyval, MPI_Aint *value, int *ierror)                            \
    {                                                                                                                   \
        return_code(ierror, MPI_##Class##_set_attr(*handle, *keyval, (void *)*value));                                  \
    }                                                                                                                   \
    ALL(class##_set_attr)

CLASS(Comm, comm, MPI_Comm);
CLASS(Type, type, MPI_Datatype);
CLASS(Win, win, MPI_Win);

static MPI_Aint comm_value(int keyval, void *value)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_HOST:
    case MPI_IO:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_UNIVERSE_SIZE:
    case MPI_LASTUSEDCODE:
    case MPI_APPNUM:
        return *(int *)value;
    default:
        return (MPI_Aint)value;
    }
}

void pmpi_comm_get_attr_(MPI_Comm *comm, int *keyval, MPI_Aint *value, int *flag, int *ierror)
{
    void *found = NULL;
    int code = MPI_Comm_get_attr(*comm, *keyval, &found, flag);
    if (!code && *flag)
        *value = comm_value(*keyval, found);
    return_code(ierror, code);
}
ALL(comm_get_attr);

void pmpi_type_get_attr_(MPI_Datatype *datatype, int *keyval, MPI_Aint *value, int *flag, int *ierror)
{
    void *found = NULL;
    int code = MPI_Type_get_attr(*datatype, *keyval, &found, flag);
    if (!code && *flag)
        *value = (MPI_Aint)found;
    return_code(ierror, code);
}
ALL(type_get_attr);

void pmpi_win_get_attr_(MPI_Win *win, int *keyval, MPI_Aint *value, int *flag, int *ierror)
{
    void *found = NULL;
    int code = MPI_Win_get_attr(*win, *keyval, &found, flag);
    if (!code && *flag)
        *value = *keyval == MPI_WIN_SIZE                                            ? *(MPI_Aint *)found
                 : *keyval == MPI_WIN_DISP_UNIT || *keyval == MPI_WIN_CREATE_FLAVOR || *keyval == MPI_WIN_MODEL
                     ? *(int *)found
                     : (MPI_Aint)found;
    return_code(ierror, code);
}
ALL(win_get_attr);

/* MPI-1: the same with default integers, which have the size of addresses here. */
ALSO(pmpi_comm_create_keyval_, mpi_keyval_create_);
ALSO(pmpi_comm_create_keyval_, pmpi_keyval_create_);
ALSO(pmpi_comm_set_attr_, mpi_attr_put_);
ALSO(pmpi_comm_set_attr_, pmpi_attr_put_);
ALSO(pmpi_comm_get_attr_, mpi_attr_get_);
ALSO(pmpi_comm_get_attr_, pmpi_attr_get_);

/* The callbacks that MPI predefines, as procedures. */
void mpi_comm_null_copy_fn_(void *handle, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out, int *flag,
                            int *ierror)
{
    *flag = 0;
    *ierror = MPI_SUCCESS;
}

void mpi_comm_dup_fn_(void *handle, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out, int *flag, int *ierror)
{
    *flag = 1;
    *out = *in;
    *ierror = MPI_SUCCESS;
}

void mpi_comm_null_delete_fn_(void *handle, int *keyval, MPI_Aint *value, MPI_Aint *extra, int *ierror)
{
    *ierror = MPI_SUCCESS;
}

ALSO(mpi_comm_null_copy_fn_, mpi_type_null_copy_fn_);
ALSO(mpi_comm_null_copy_fn_, mpi_win_null_copy_fn_);
ALSO(mpi_comm_null_copy_fn_, mpi_null_copy_fn_);
ALSO(mpi_comm_dup_fn_, mpi_type_dup_fn_);
ALSO(mpi_comm_dup_fn_, mpi_win_dup_fn_);
ALSO(mpi_comm_dup_fn_, mpi_dup_fn_);
ALSO(mpi_comm_null_delete_fn_, mpi_type_null_delete_fn_);
ALSO(mpi_comm_null_delete_fn_, mpi_win_null_delete_fn_);
ALSO(mpi_comm_null_delete_fn_, mpi_null_delete_fn_);
