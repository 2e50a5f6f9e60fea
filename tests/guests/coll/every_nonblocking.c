// MPI_Ibarrier, MPI_Ibcast, MPI_Ireduce and all other nonblocking collectives: waited for at once, tested until complete.
// large: yes
#include <mpi.h>

static int finish(MPI_Request *request);

#define RUN(name, Name, ...) \
    do { \
        MPI_Request request_; \
        TRY(MPI_I##name(__VA_ARGS__, &request_)); \
        TRY(finish(&request_)); \
        CHECK(request_ == MPI_REQUEST_NULL); \
    } while (0)
#include "every.h"

static int turn;

static int finish(MPI_Request *request)
{
    int flag = 0;
    if (turn++ % 2)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
    while (!flag)
        TRY(MPI_Test(request, &flag, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 0; count <= EVERY_COUNT; count = count * 3 + 1)
        every_collective(count, MPI_COMM_WORLD);
    return check_end();
}
