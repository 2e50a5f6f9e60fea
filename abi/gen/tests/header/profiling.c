/* A guest that profiles its own sends, and touches the corners of mpi.h: sentinels, callbacks, removed names. */
#include <mpi.h>
#include <mpi.h>

int sends;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int program(void);
int program(void) {
    MPI_Status status = {0, 0, 0, {0, 0, 0, 0, 0}};
    MPI_Fint f_status[MPI_F_STATUS_SIZE];
    MPI_Datatype type = MPI_INT;
    MPI_Aint displacement[1] = {0}, ub;
    MPI_Group group;
    int length[1] = {1}, keyval, value = 0;
    int ranges[1][3] = {{0, 0, 1}};
    MPI_Init(0, 0);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast_c(MPI_BOTTOM, 0, MPI_BYTE, 0, MPI_COMM_SELF);
    MPI_Status_c2f(&status, f_status);
    MPI_Type_struct(1, length, displacement, &type, &type);
    MPI_Type_ub(type, &ub);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, 0);
    MPI_Group_range_incl(MPI_GROUP_EMPTY, 1, ranges, &group);
    MPI_Pcontrol(1, 2, 3);
#if MPI_VERSION < 5 || MPI_ERR_RANK != 6 || MPI_ANY_SOURCE >= 0
#error "constants must be known to the preprocessor"
#endif
    return MPI_Comm_c2f(MPI_COMM_SELF) + PMPI_Comm_c2f(MPI_COMM_SELF);
}
