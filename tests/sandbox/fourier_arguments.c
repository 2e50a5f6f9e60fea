// What no program should ask of the host's transforms: it does nothing of it, or computes something, and nobody notices.
// ranks: 1 2
#include "fourier.h"
#include <limits.h>
#include <math.h>

enum { N = 64 };

static double a[8 * N], before[8 * N];

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int i = 0; i < 8 * N; i++)
        a[i] = before[i] = i % 7;
    double *b = a + 4 * N;
    Axis line = {N, 1, 1}, loops[40];
    for (int i = 0; i < 40; i++)
        loops[i] = (Axis){1, INT_MIN, INT_MAX};
    static const int odd[] = {0, -1, INT_MIN};
    for (int i = 0; i < 3; i++) {
        Axis axis = {odd[i], 1, 1};
        CHECK_INT(host_z2z(1, &axis, 0, 0, a, b, -1), 0);
        CHECK_INT(host_z2z(1, &line, 1, &axis, a, b, -1), 0);
        CHECK_INT(host_z2z(1, &line, 0, 0, a, b, odd[i] == -1 ? 2 : odd[i]), 0);
        CHECK_INT(host_z2z(odd[i], &line, 0, 0, a, b, -1), 0);
        if (odd[i])
            CHECK_INT(host_z2z(1, &line, odd[i], &line, a, b, -1), 0);
    }
    // Dimensions that there is no room for, in whatever lies behind their numbers; none.
    CHECK_INT(host_z2z(9, near_end(4), 0, 0, a, b, -1), 0);
    CHECK_INT(host_z2z(1, &line, INT_MAX, near_end(4), a, b, -1), 0);
    CHECK_INT(host_z2z(0, near_end(0), 0, 0, a, b, -1), 0);
    // A length that the memory doesn't have, all at one place.
    CHECK_INT(host_z2z(1, &(Axis){INT_MAX, 0, 0}, 0, 0, a, b, -1), 0);
    CHECK_INT(host_d2z(1, &(Axis){INT_MAX, 1, 0}, 0, 0, a, b), 0);
    // Numbers at odd addresses; results on top of an input that lies otherwise.
    CHECK_INT(host_z2z(1, &line, 0, 0, (char *)a + 4, b, -1), 0);
    CHECK_INT(host_c2c(1, &line, 0, 0, (char *)a + 2, b, -1), 0);
    CHECK_INT(host_z2z(1, &(Axis){N / 2, 2, 1}, 0, 0, a, a, -1), 0);
    CHECK_INT(host_z2z(1, &line, 0, 0, a, a + 2, -1), 0);
    CHECK_INT(host_d2z(1, &(Axis){N, 1, 2}, 0, 0, a, a), 0);
    CHECK_INT(memcmp(a, before, sizeof a), 0);

    // Strides that lead far away, along dimensions of length 1; many results at one place.
    CHECK_INT(host_z2z(1, &line, 8, loops, a, b, 1), 1);
    CHECK_INT(host_z2z(1, &line, 1, &(Axis){1000, 0, 0}, a, b, 1), 1);
    // The description is where the results go.
    Axis *there = (Axis *)b;
    there[0] = line;
    CHECK_INT(host_z2z(1, there, 0, there, a, b, -1), 1);
    for (int i = 0; i < 8 * N; i++)
        a[i] = i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
    CHECK_INT(host_z2z(1, &line, 0, 0, a, b, -1), 1);
    CHECK_INT(host_z2d(1, &line, 0, 0, a, b), 1);
    CHECK_INT(host_d2z(1, &(Axis){N - 5, 1, 1}, 0, 0, a, b), 1);
    still_fine();
    return check_end();
}
