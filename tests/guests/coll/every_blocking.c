// Every collective once more, blocking, on a communicator of its own: what the nonblocking and persistent ones are compared with.
// large: yes
#define RUN(name, Name, ...) TRY(MPI_##Name(__VA_ARGS__))
#include "every.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int count = 0; count <= EVERY_COUNT; count = count * 3 + 1)
        every_collective(count, comm);
    TRY(MPI_Comm_free(&comm));
    return check_end();
}
