// MPI_Wtime, MPI_Wtick: time goes on, and by steps of the tick.
#include "../check.h"

int main(int argc, char **argv)
{
    double start, now, tick;
    check_begin(&argc, &argv);
    tick = MPI_Wtick();
    CHECK(tick > 0 && tick < 0.01);
    start = MPI_Wtime();
    CHECK(start >= 0);
    do {
        double next = MPI_Wtime();
        CHECK(next >= start);
        now = next;
    } while (now - start < 0.01);
    CHECK(now > start);
    return check_end();
}
