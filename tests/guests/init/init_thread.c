// MPI_Init_thread, MPI_Query_thread, MPI_Is_thread_main.
#include "../check.h"

int main(int argc, char **argv)
{
    int provided = -1, queried = -1, is_main = 0;
    TRY(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
    check_errors_return();
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(provided >= MPI_THREAD_FUNNELED && provided <= MPI_THREAD_MULTIPLE);
    TRY(MPI_Query_thread(&queried));
    CHECK_INT(queried, provided);
    TRY(MPI_Is_thread_main(&is_main));
    CHECK_INT(is_main, 1);
    CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
    return check_end();
}
