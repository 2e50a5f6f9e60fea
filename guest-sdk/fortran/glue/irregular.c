/* Procedures whose arguments or results differ from C's, and names of MPI-1 that Fortran programs still use. */
#include "glue.h"
#include <stdlib.h>

#define BOTH(name) ALSO(pmpi_##name##_, mpi_##name##_)
#define ALL(name) BOTH(name); ALSO(pmpi_##name##_, pmpi_##name##_f08_); ALSO(pmpi_##name##_, mpi_##name##_f08_)

void pmpi_init_(int *ierror)
{
    return_code(ierror, MPI_Init(NULL, NULL));
}
ALL(init);

void pmpi_init_thread_(int *required, int *provided, int *ierror)
{
    return_code(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}
ALL(init_thread);

void pmpi_pcontrol_(int *level)
{
    MPI_Pcontrol(*level);
}
ALL(pcontrol);

double pmpi_wtime_(void)
{
    return MPI_Wtime();
}
ALL(wtime);

double pmpi_wtick_(void)
{
    return MPI_Wtick();
}
ALL(wtick);

MPI_Aint pmpi_aint_add_(MPI_Aint *base, MPI_Aint *disp)
{
    return MPI_Aint_add(*base, *disp);
}
ALL(aint_add);

MPI_Aint pmpi_aint_diff_(MPI_Aint *addr1, MPI_Aint *addr2)
{
    return MPI_Aint_diff(*addr1, *addr2);
}
ALL(aint_diff);

void pmpi_sizeof_(CFI_cdesc_t *x, int *size, int *ierror)
{
    *size = (int)x->elem_len;
    return_code(ierror, MPI_SUCCESS);
}
ALL(sizeof);

/* Tells the compiler that a buffer may change: it sees a call that it knows nothing of. */
void pmpi_f_sync_reg_(CFI_cdesc_t *buffer)
{
    (void)buffer;
}
ALL(f_sync_reg);

void pmpi_status_f2f08_(int *f_status, MPI_Status *f08_status, int *ierror)
{
    return_code(ierror, MPI_Status_f2c(f_status, f08_status));
}
ALL(status_f2f08);

void pmpi_status_f082f_(MPI_Status *f08_status, int *f_status, int *ierror)
{
    return_code(ierror, MPI_Status_c2f(f08_status, f_status));
}
ALL(status_f082f);

void pmpi_info_create_env_(int *info, int *ierror)
{
    MPI_Info info_h = HANDLE(*info);
    return_code(ierror, MPI_Info_create_env(0, NULL, &info_h));
    *info = INTEGER(info_h);
}
ALL(info_create_env);

void pmpi_abi_get_fortran_booleans_(int *logical_size, void *logical_true, void *logical_false, int *is_set, int *ierror)
{
    return_code(ierror, MPI_Abi_get_fortran_booleans(*logical_size, logical_true, logical_false, is_set));
}
ALL(abi_get_fortran_booleans);

void pmpi_abi_set_fortran_booleans_(int *logical_size, void *logical_true, void *logical_false, int *ierror)
{
    return_code(ierror, MPI_Abi_set_fortran_booleans(*logical_size, logical_true, logical_false));
}
ALL(abi_set_fortran_booleans);

/* Names that MPI-3 removed, with addresses as default integers. A guest's memory ends where they do; what is 64 bits wide
 * elsewhere loses an upper half that says nothing. */
void pmpi_address_(void *location, int *address, int *ierror)
{
    MPI_Aint whole = *address;
    return_code(ierror, MPI_Get_address(rankine_address(location), &whole));
    *address = (int)whole;
}
BOTH(address);

void pmpi_type_extent_(int *datatype, int *extent, int *ierror)
{
    MPI_Aint lower, whole = *extent;
    return_code(ierror, MPI_Type_get_extent(HANDLE(*datatype), &lower, &whole));
    *extent = (int)whole;
}
BOTH(type_extent);

void pmpi_type_lb_(int *datatype, int *displacement, int *ierror)
{
    MPI_Aint extent, whole = *displacement;
    return_code(ierror, MPI_Type_get_extent(HANDLE(*datatype), &whole, &extent));
    *displacement = (int)whole;
}
BOTH(type_lb);

void pmpi_type_ub_(int *datatype, int *displacement, int *ierror)
{
    MPI_Aint lower = 0, extent = 0;
    int code = MPI_Type_get_extent(HANDLE(*datatype), &lower, &extent);
    *displacement = (int)(lower + extent);
    return_code(ierror, code);
}
BOTH(type_ub);

void pmpi_type_hvector_(int *count, int *blocklength, int *stride, int *oldtype, int *newtype, int *ierror)
{
    MPI_Datatype newtype_h = HANDLE(*newtype);
    return_code(ierror, MPI_Type_create_hvector(*count, *blocklength, *stride, HANDLE(*oldtype), &newtype_h));
    *newtype = INTEGER(newtype_h);
}
BOTH(type_hvector);

/* Displacements as C has them: the same array, or a wider copy. */
static MPI_Aint *widened(int *displacements, int count)
{
    if (sizeof(MPI_Aint) == sizeof(int))
        return (void *)displacements;
    MPI_Aint *wide = malloc(((count > 0 ? count : 0) + 1) * sizeof *wide);
    if (!wide)
        abort();
    for (int at = 0; at < count; at++)
        wide[at] = displacements[at];
    return wide;
}

static void free_widened(MPI_Aint *wide, int *displacements)
{
    if ((void *)wide != displacements)
        free(wide);
}

void pmpi_type_hindexed_(int *count, int *blocklengths, int *displacements, int *oldtype, int *newtype, int *ierror)
{
    MPI_Datatype newtype_h = HANDLE(*newtype);
    MPI_Aint *wide = widened(displacements, *count);
    return_code(ierror, MPI_Type_create_hindexed(*count, blocklengths, wide, HANDLE(*oldtype), &newtype_h));
    free_widened(wide, displacements);
    *newtype = INTEGER(newtype_h);
}
BOTH(type_hindexed);

void pmpi_type_struct_(int *count, int *blocklengths, int *displacements, int *types, int *newtype, int *ierror)
{
    MPI_Datatype newtype_h = HANDLE(*newtype), *types_h = HANDLES(types, *count);
    MPI_Aint *wide = widened(displacements, *count);
    return_code(ierror, MPI_Type_create_struct(*count, blocklengths, wide, types_h, &newtype_h));
    free_widened(wide, displacements);
    handles_free(types_h);
    *newtype = INTEGER(newtype_h);
}
BOTH(type_struct);

void pmpi_errhandler_create_(void (*function)(void), int *errhandler, int *ierror)
{
    MPI_Errhandler errhandler_h = HANDLE(*errhandler);
    return_code(ierror, MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)function, &errhandler_h));
    *errhandler = INTEGER(errhandler_h);
}
BOTH(errhandler_create);

void pmpi_errhandler_set_(int *comm, int *errhandler, int *ierror)
{
    return_code(ierror, MPI_Comm_set_errhandler(HANDLE(*comm), HANDLE(*errhandler)));
}
BOTH(errhandler_set);

void pmpi_errhandler_get_(int *comm, int *errhandler, int *ierror)
{
    MPI_Errhandler errhandler_h = HANDLE(*errhandler);
    return_code(ierror, MPI_Comm_get_errhandler(HANDLE(*comm), &errhandler_h));
    *errhandler = INTEGER(errhandler_h);
}
BOTH(errhandler_get);
