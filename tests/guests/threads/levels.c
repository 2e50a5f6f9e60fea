// A program with threads is told the level that it has: the one it asks for.
// ranks: 1 2
// cc: -pthread
#include "../check.h"

int main(int argc, char **argv)
{
    int level, provided = -1;
    TRY(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    TRY(MPI_Query_thread(&level));
    CHECK_INT(level, provided);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
    return check_end();
}
