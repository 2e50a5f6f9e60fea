// The C side of mixed.f90.
// part: yes
#include <mpi.h>

int c_rank_of(MPI_Fint comm)
{
    int rank;
    MPI_Comm_rank(MPI_Comm_f2c(comm), &rank);
    return rank;
}
MPI_Fint c_split(MPI_Fint comm, int color)
{
    MPI_Comm part;
    MPI_Comm_split(MPI_Comm_f2c(comm), color, 0, &part);
    return MPI_Comm_c2f(part);
}
MPI_Fint c_pair_type(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return MPI_Type_c2f(type);
}
int c_tag(MPI_Fint *status)
{
    MPI_Status converted;
    MPI_Status_f2c(status, &converted);
    return converted.MPI_TAG;
}
int c_tag_f08(MPI_F08_status *status)
{
    MPI_Status converted;
    MPI_Status_f082c(status, &converted);
    return converted.MPI_TAG;
}
