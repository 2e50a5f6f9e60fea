/* Generalised requests and data representations, whose callbacks have another form in Fortran. (Those of operations and
 * error handlers have the form of C's and are passed on.) */
#include "glue.h"
#include <stdlib.h>

#define BOTH(name) ALSO(pmpi_##name##_, mpi_##name##_)
#define ALL(name) BOTH(name); ALSO(pmpi_##name##_, pmpi_##name##_f08_); ALSO(pmpi_##name##_, mpi_##name##_f08_)

/* The extra state of a request that Fortran started. */
struct operation {
    void (*query)(MPI_Aint *extra, MPI_Status *status, int *ierror);
    void (*free)(MPI_Aint *extra, int *ierror);
    void (*cancel)(MPI_Aint *extra, int *complete, int *ierror);
    MPI_Aint extra;
};

static int query(void *state, MPI_Status *status)
{
    struct operation *operation = state;
    int ierror = MPI_SUCCESS;
    operation->query(&operation->extra, status, &ierror);
    return ierror;
}

static int release(void *state)
{
    struct operation *operation = state;
    int ierror = MPI_SUCCESS;
    operation->free(&operation->extra, &ierror);
    free(operation);
    return ierror;
}

static int cancel(void *state, int complete)
{
    struct operation *operation = state;
    int ierror = MPI_SUCCESS;
    operation->cancel(&operation->extra, &complete, &ierror);
    return ierror;
}

void pmpi_grequest_start_(void (*query_fn)(MPI_Aint *, MPI_Status *, int *), void (*free_fn)(MPI_Aint *, int *),
                          void (*cancel_fn)(MPI_Aint *, int *, int *), MPI_Aint *extra, int *request, int *ierror)
{
    struct operation *operation = malloc(sizeof *operation);
    MPI_Request request_h = HANDLE(*request);
    int code = MPI_ERR_NO_MEM;
    if (operation) {
        *operation = (struct operation){query_fn, free_fn, cancel_fn, *extra};
        code = MPI_Grequest_start(query, release, cancel, operation, &request_h);
        if (code)
            free(operation);
    }
    *request = INTEGER(request_h);
    return_code(ierror, code);
}
ALL(grequest_start);

/* The extra state of a data representation. Of a handle that is passed on Fortran reads the lower half. */
typedef void conversion_procedure(void *userbuf, MPI_Datatype *datatype, void *count, void *filebuf, MPI_Offset *position,
                                  MPI_Aint *extra, int *ierror);
struct representation {
    conversion_procedure *read, *write;
    void (*extent)(MPI_Datatype *datatype, MPI_Aint *extent, MPI_Aint *extra, int *ierror);
    MPI_Aint extra;
};

static int extent(MPI_Datatype datatype, MPI_Aint *extent, void *state)
{
    struct representation *own = state;
    int ierror = MPI_SUCCESS;
    own->extent(&datatype, extent, &own->extra, &ierror);
    return ierror;
}

#define CONVERSION(name, direction, Count)                                                                              \
    static int name(void *userbuf, MPI_Datatype datatype, Count count, void *filebuf, MPI_Offset position, void *state) \
    {                                                                                                                   \
        struct representation *own = state;                                                                             \
        int ierror = MPI_SUCCESS;                                                                                       \
        own->direction(userbuf, &datatype, &count, filebuf, &position, &own->extra, &ierror);                           \
        return ierror;                                                                                                  \
    }
CONVERSION(read_plain, read, int)
CONVERSION(write_plain, write, int)
CONVERSION(read_large, read, MPI_Count)
CONVERSION(write_large, write, MPI_Count)

/* Passed where nothing is to be converted; never called. */
void mpi_conversion_fn_null_(void *userbuf, MPI_Datatype *datatype, void *count, void *filebuf, MPI_Offset *position,
                             MPI_Aint *extra, int *ierror)
{
    *ierror = MPI_ERR_CONVERSION;
}
ALSO(mpi_conversion_fn_null_, mpi_conversion_fn_null_c_);

static struct representation *new_representation(struct representation values)
{
    struct representation *own = malloc(sizeof *own);
    if (own)
        *own = values;
    return own;
}

static int is_null(conversion_procedure *conversion)
{
    return conversion == mpi_conversion_fn_null_;
}

void pmpi_register_datarep_(char *datarep, conversion_procedure *read, conversion_procedure *write,
                            void (*extent_fn)(MPI_Datatype *, MPI_Aint *, MPI_Aint *, int *), MPI_Aint *extra, int *ierror,
                            size_t length)
{
    char *name = rankine_c_string(datarep, length);
    struct representation *own = new_representation((struct representation){read, write, extent_fn, *extra});
    return_code(ierror, own ? MPI_Register_datarep(name, is_null(read) ? MPI_CONVERSION_FN_NULL : read_plain,
                                                   is_null(write) ? MPI_CONVERSION_FN_NULL : write_plain, extent, own)
                            : MPI_ERR_NO_MEM);
    free(name);
}
ALL(register_datarep);

void pmpi_register_datarep_c_f08_(char *datarep, conversion_procedure *read, conversion_procedure *write,
                                  void (*extent_fn)(MPI_Datatype *, MPI_Aint *, MPI_Aint *, int *), MPI_Aint *extra,
                                  int *ierror, size_t length)
{
    char *name = rankine_c_string(datarep, length);
    struct representation *own = new_representation((struct representation){read, write, extent_fn, *extra});
    return_code(ierror,
                own ? MPI_Register_datarep_c(name, is_null(read) ? MPI_CONVERSION_FN_NULL_C : read_large,
                                             is_null(write) ? MPI_CONVERSION_FN_NULL_C : write_large, extent, own)
                    : MPI_ERR_NO_MEM);
    free(name);
}
ALSO(pmpi_register_datarep_c_f08_, mpi_register_datarep_c_f08_);
