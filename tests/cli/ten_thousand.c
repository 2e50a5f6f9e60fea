// Ten thousand ranks start, are all there at the same time, and end.
// engines: local
// ranks: 10000
// peak: 1000
#include "../guests/check.h"

int main(int argc, char **argv)
{
    int ranks = 0;
    check_begin(&argc, &argv);
    int one = 1;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(ranks, size);
    return check_end();
}
