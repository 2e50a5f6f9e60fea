// What the host needs for transforms is part of what a rank may have of memory: many lengths keep it within that, and one that
// takes too much is left to the guest.
// ranks: 2
// run: --memory-limit 64M
// peak: limits + 96
#include "fourier.h"

/* The greater one is a prime, for which tables take many times the memory of the line. */
enum { N = 1 << 17, PRIME = (1 << 19) - 1 };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    double *a = calloc(2 * PRIME, sizeof *a);
    CHECK(a != NULL);
    for (int n = N; n > N - 200; n--)
        CHECK_INT(host_z2z(1, &(Axis){n, 1, 1}, 0, 0, a, a, -1), 1);
    CHECK_INT(host_z2z(1, &(Axis){PRIME, 1, 1}, 0, 0, a, a, -1), 0);
    still_fine();
    return check_end();
}
