// The C side of lasting_sections_f08.f90.
// part: yes
#include <mpi.h>

void c_waits(MPI_Fint *request)
{
    MPI_Request waited = MPI_Request_f2c(*request);
    MPI_Wait(&waited, MPI_STATUS_IGNORE);
    *request = MPI_Request_c2f(waited);
}
