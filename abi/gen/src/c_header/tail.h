
/* Statuses of Fortran: the eight ints of MPI_Status in the same order. */
#define MPI_F_STATUS_IGNORE     ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE   ((MPI_Fint *)0)
#define MPI_F08_STATUS_IGNORE   ((MPI_F08_status *)0)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)0)
RANKINE_INLINE int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status) {
    int i;
    f_status[MPI_F_SOURCE] = c_status->MPI_SOURCE;
    f_status[MPI_F_TAG] = c_status->MPI_TAG;
    f_status[MPI_F_ERROR] = c_status->MPI_ERROR;
    for (i = 0; i < 5; i++) {
        f_status[MPI_F_ERROR + 1 + i] = c_status->MPI_internal[i];
    }
    return MPI_SUCCESS;
}
RANKINE_INLINE int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status) {
    int i;
    c_status->MPI_SOURCE = f_status[MPI_F_SOURCE];
    c_status->MPI_TAG = f_status[MPI_F_TAG];
    c_status->MPI_ERROR = f_status[MPI_F_ERROR];
    for (i = 0; i < 5; i++) {
        c_status->MPI_internal[i] = f_status[MPI_F_ERROR + 1 + i];
    }
    return MPI_SUCCESS;
}
RANKINE_INLINE int MPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status) {
    *f08_status = *c_status;
    return MPI_SUCCESS;
}
RANKINE_INLINE int MPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status) {
    *c_status = *f08_status;
    return MPI_SUCCESS;
}
RANKINE_INLINE int MPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status) {
    return MPI_Status_f2c(f_status, f08_status);
}
RANKINE_INLINE int MPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status) {
    return MPI_Status_c2f(f08_status, f_status);
}
#define PMPI_Status_c2f   MPI_Status_c2f
#define PMPI_Status_f2c   MPI_Status_f2c
#define PMPI_Status_c2f08 MPI_Status_c2f08
#define PMPI_Status_f082c MPI_Status_f082c
#define PMPI_Status_f2f08 MPI_Status_f2f08
#define PMPI_Status_f082f MPI_Status_f082f

/* Names of MPI-1 that MPI-3 removed and programs still use, over what replaced them. */
typedef MPI_Comm_errhandler_function MPI_Handler_function;
RANKINE_INLINE int MPI_Address(void *location, MPI_Aint *address) { return MPI_Get_address(location, address); }
RANKINE_INLINE int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                    MPI_Datatype *newtype) {
    return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
RANKINE_INLINE int MPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
                                     MPI_Datatype *newtype) {
    return MPI_Type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}
RANKINE_INLINE int MPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
                                   MPI_Datatype *newtype) {
    return MPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
}
RANKINE_INLINE int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent) {
    MPI_Aint lb;
    return MPI_Type_get_extent(datatype, &lb, extent);
}
RANKINE_INLINE int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *lb) {
    MPI_Aint extent;
    return MPI_Type_get_extent(datatype, lb, &extent);
}
RANKINE_INLINE int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *ub) {
    /* The lower bound goes where the upper one belongs, so that the engine looks at that address. */
    MPI_Aint extent;
    int error = MPI_Type_get_extent(datatype, ub, &extent);
    if (error == MPI_SUCCESS) {
        *ub += extent;
    }
    return error;
}
RANKINE_INLINE int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler) {
    return MPI_Comm_create_errhandler(function, errhandler);
}
RANKINE_INLINE int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
    return MPI_Comm_set_errhandler(comm, errhandler);
}
RANKINE_INLINE int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler) {
    return MPI_Comm_get_errhandler(comm, errhandler);
}

#if defined(__cplusplus)
}
#endif

#endif
