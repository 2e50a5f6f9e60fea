// MPI_Barrier_init, MPI_Bcast_init and all other persistent collectives: made once, started three times.
// large: yes
#define RUN(name, Name, ...) \
    do { \
        MPI_Request request_; \
        TRY(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request_)); \
        for (int round_ = 0; round_ < 3; round_++) { \
            TRY(MPI_Start(&request_)); \
            TRY(MPI_Wait(&request_, MPI_STATUS_IGNORE)); \
        } \
        TRY(MPI_Request_free(&request_)); \
    } while (0)
#include "every.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 1; count <= EVERY_COUNT; count = count * 5 + 1)
        every_collective(count, MPI_COMM_WORLD);
    return check_end();
}
