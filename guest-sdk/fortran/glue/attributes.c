/* Attributes, which are integers in Fortran, and the callbacks of their keys.
 *
 * MPI keeps a pointer for an attribute. C gets a pointer to the integer that Fortran has stored, and Fortran gets the
 * address that C has stored as an integer (MPI-5.0, section 19.3.7): so what Fortran stores lies in a cell, whose address
 * MPI keeps. The attributes that MPI predefines are pointers to integers for C and the integers themselves for Fortran. A
 * key's callbacks are C functions below: they find Fortran's procedures in the extra state. */
#include "glue.h"
#include <pthread.h>
#include <stdlib.h>

#define BOTH(name) ALSO(pmpi_##name##_, mpi_##name##_)
#define ALL(name) BOTH(name); ALSO(pmpi_##name##_, pmpi_##name##_f08_); ALSO(pmpi_##name##_, mpi_##name##_f08_)

/* Fortran's callbacks: everything by reference, the same for every class of handles, of which the lower half is read. */
typedef void copy_procedure(void *handle, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out, int *flag,
                            int *ierror);
typedef void delete_procedure(void *handle, int *keyval, MPI_Aint *value, MPI_Aint *extra, int *ierror);

/* An integer that Fortran has stored. */
struct cell {
    MPI_Aint value;
    /* Of a key of C's, whose callbacks tell nobody here when the attribute goes: attributes with this value share it. */
    int lasts;
    struct cell *next;
};

/* All cells, by address. */
#define LISTS 64
static struct cell *cells[LISTS];

/* The extra state of a key that Fortran made; it lives as long as attributes may be left that have the key. */
struct key {
    copy_procedure *copy;
    delete_procedure *delete;
    MPI_Aint extra;
    int keyval;
    struct key *next;
};
static struct key *keys;

/* Of the lists of cells and keys: attributes belong to a rank, which may have several threads. */
static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;

static struct cell **list_of(const void *address)
{
    return &cells[(size_t)address / sizeof(struct cell) % LISTS];
}

/* The cell at this address, if there is one. The lists are locked. */
static struct cell *cell_at(const void *address)
{
    for (struct cell *cell = *list_of(address); cell; cell = cell->next)
        if (cell == address)
            return cell;
    return NULL;
}

/* A cell that lasts and has this value. The lists are locked. */
static struct cell *lasting(MPI_Aint value)
{
    for (int list = 0; list < LISTS; list++)
        for (struct cell *cell = cells[list]; cell; cell = cell->next)
            if (cell->lasts && cell->value == value)
                return cell;
    return NULL;
}

/* What MPI keeps for an integer of Fortran's; a null pointer if there is no memory. */
static void *store(MPI_Aint value, int lasts)
{
    pthread_mutex_lock(&lists);
    struct cell *cell = lasts ? lasting(value) : NULL;
    if (!cell && (cell = malloc(sizeof *cell))) {
        struct cell **list = list_of(cell);
        *cell = (struct cell){value, lasts, *list};
        *list = cell;
    }
    pthread_mutex_unlock(&lists);
    return cell;
}

/* What MPI keeps, as Fortran sees it. */
static MPI_Aint value_of(void *kept)
{
    pthread_mutex_lock(&lists);
    struct cell *cell = cell_at(kept);
    MPI_Aint value = cell ? cell->value : (MPI_Aint)kept;
    pthread_mutex_unlock(&lists);
    return value;
}

/* MPI keeps it no longer. */
static void discard(void *kept)
{
    pthread_mutex_lock(&lists);
    struct cell *cell = cell_at(kept);
    if (cell && !cell->lasts) {
        struct cell **link = list_of(cell);
        while (*link != cell)
            link = &(*link)->next;
        *link = cell->next;
        free(cell);
    }
    pthread_mutex_unlock(&lists);
}

static int is_ours(void *kept)
{
    pthread_mutex_lock(&lists);
    int is_cell = cell_at(kept) != NULL;
    pthread_mutex_unlock(&lists);
    return is_cell;
}

static struct key *new_key(copy_procedure *copy, delete_procedure *delete, MPI_Aint extra)
{
    struct key *key = malloc(sizeof *key);
    if (key)
        *key = (struct key){copy, delete, extra, MPI_KEYVAL_INVALID, NULL};
    return key;
}

/* MPI has given a key its number, unless it refused. */
static int made(int code, struct key *key, int keyval)
{
    if (code) {
        free(key);
        return code;
    }
    pthread_mutex_lock(&lists);
    key->keyval = keyval;
    key->next = keys;
    keys = key;
    pthread_mutex_unlock(&lists);
    return code;
}

static int is_key_of_c(int keyval)
{
    pthread_mutex_lock(&lists);
    struct key *key = keys;
    while (key && key->keyval != keyval)
        key = key->next;
    pthread_mutex_unlock(&lists);
    return !key;
}

copy_procedure mpi_comm_dup_fn_;

static int copy(void *handle, int keyval, struct key *key, void *in, void *out, int *flag)
{
    MPI_Aint value_in = value_of(in), value_out = 0;
    int ierror = MPI_SUCCESS;
    key->copy(&handle, &keyval, &key->extra, &value_in, &value_out, flag, &ierror);
    if (ierror || !*flag)
        return ierror;
    /* An address of C's stays one where nobody looked at it. */
    if (key->copy == mpi_comm_dup_fn_ && !is_ours(in)) {
        *(void **)out = in;
        return ierror;
    }
    void *stored = store(value_out, 0);
    *(void **)out = stored;
    return stored ? ierror : MPI_ERR_NO_MEM;
}

static int delete(void *handle, int keyval, void *kept, struct key *key)
{
    MPI_Aint value = value_of(kept);
    int ierror = MPI_SUCCESS;
    key->delete(&handle, &keyval, &value, &key->extra, &ierror);
    if (!ierror)
        discard(kept);
    return ierror;
}

/* What MPI is to keep was stored, and this is the outcome. */
static int kept(int code, void *stored)
{
    if (code)
        discard(stored);
    return code;
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
        if (key) {                                                                                                      \
            code = MPI_##Class##_create_keyval(class##_copy, class##_delete, keyval, key);                              \
            code = made(code, key, *keyval);                                                                            \
        }                                                                                                               \
        return_code(ierror, code);                                                                                      \
    }                                                                                                                   \
    ALL(class##_create_keyval);                                                                                         \
    void pmpi_##class##_set_attr_(int *handle, int *keyval, MPI_Aint *value, int *ierror)                               \
    {                                                                                                                   \
        void *stored = store(*value, is_key_of_c(*keyval));                                                             \
        int code = MPI_ERR_NO_MEM;                                                                                      \
        if (stored)                                                                                                     \
            code = kept(MPI_##Class##_set_attr(HANDLE(*handle), *keyval, stored), stored);                              \
        return_code(ierror, code);                                                                                      \
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
        return value_of(value);
    }
}

void pmpi_comm_get_attr_(int *comm, int *keyval, MPI_Aint *value, int *flag, int *ierror)
{
    void *found = NULL;
    int code = MPI_Comm_get_attr(HANDLE(*comm), *keyval, &found, flag);
    if (!code && *flag)
        *value = comm_value(*keyval, found);
    return_code(ierror, code);
}
ALL(comm_get_attr);

void pmpi_type_get_attr_(int *datatype, int *keyval, MPI_Aint *value, int *flag, int *ierror)
{
    void *found = NULL;
    int code = MPI_Type_get_attr(HANDLE(*datatype), *keyval, &found, flag);
    if (!code && *flag)
        *value = value_of(found);
    return_code(ierror, code);
}
ALL(type_get_attr);

void pmpi_win_get_attr_(int *win, int *keyval, MPI_Aint *value, int *flag, int *ierror)
{
    void *found = NULL;
    int code = MPI_Win_get_attr(HANDLE(*win), *keyval, &found, flag);
    if (!code && *flag)
        *value = *keyval == MPI_WIN_SIZE                                            ? *(MPI_Aint *)found
                 : *keyval == MPI_WIN_DISP_UNIT || *keyval == MPI_WIN_CREATE_FLAVOR || *keyval == MPI_WIN_MODEL
                     ? *(int *)found
                     : value_of(found);
    return_code(ierror, code);
}
ALL(win_get_attr);

/* MPI-1: the same with default integers. Callbacks of such keys read and write the lower halves of wider ones. */
void pmpi_keyval_create_(copy_procedure *copy, delete_procedure *delete, int *keyval, int *extra, int *ierror)
{
    MPI_Aint wide = *extra;
    pmpi_comm_create_keyval_(copy, delete, keyval, &wide, ierror);
}
BOTH(keyval_create);

void pmpi_attr_put_(int *comm, int *keyval, int *value, int *ierror)
{
    MPI_Aint wide = *value;
    pmpi_comm_set_attr_(comm, keyval, &wide, ierror);
}
BOTH(attr_put);

void pmpi_attr_get_(int *comm, int *keyval, int *value, int *flag, int *ierror)
{
    MPI_Aint wide = *value;
    pmpi_comm_get_attr_(comm, keyval, &wide, flag, ierror);
    *value = (int)wide;
}
BOTH(attr_get);

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
