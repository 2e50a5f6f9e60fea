// What is shown of fields and points that fill a rank's memory, faster than anybody looks: what the host keeps of it is the rank's memory.
// ranks: 1 2
// run: --record {scratch}/shown.rkv --memory-limit 64M
// peak: limits + 96
#include "hostile.h"
#include <rankine/view.h>

enum { N = 1500, STEPS = 40, POINTS = 1 << 20 };
static double values[N * N];

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    int shape[] = {N * size, N}, start[] = {N * rank, 0}, count[] = {N, N};
    for (int i = 0; i < N * N; i++)
        values[i] = i;
    for (int step = 0; step < STEPS; step++) {
        char name[32];
        snprintf(name, sizeof name, "field %d", step % 20);
        (void)Rankine_View_field(name, step, 2, shape, start, count, NULL, MPI_DOUBLE, values);
        snprintf(name, sizeof name, "points %d", step % 10);
        (void)Rankine_View_points(name, step, 0, 2, POINTS, NULL, MPI_DOUBLE, values, NULL, NULL);
    }
    return hostile_end();
}
