// A parallel region that uses many variables from around it: each is a parameter of the region's function.
// ranks: 1 2
// cc: -fopenmp -O2
// run: --threads-per-rank 3
#include "../check.h"
#include <omp.h>

/* All a region may change, and what each thread begins with. */
static void count(int first)
{
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10;
    int k = 0, l = 0, m = 0, n = 0, o = 0, p = 0, q = 0, r = 0, s = 0, t = 0;
    double u = 0.5, v = 1.5;
    int sum = 0, threads = 0;
#pragma omp parallel num_threads(3) firstprivate(a, b, c, d, e, f, g, h, i, j, u, v) reduction(+ : sum, threads)
    {
        a += first, b++, c++, d++, e++, f++, g++, h++, i++, j++, u += v;
        sum += a + b + c + d + e + f + g + h + i + j + (int)u;
        threads++;
#pragma omp critical
        {
            k++, l += a, m += b, n += c, o += d, p += e, q += f, r += g, s += h, t += i + j;
        }
    }
    CHECK_INT(threads, 3);
    CHECK_INT(sum, 3 * (55 + first + 9 + 2));
    CHECK_INT(k, 3);
    CHECK_INT(l, 3 * (1 + first));
    CHECK_INT(m + n + o + p + q + r + s, 3 * (3 + 4 + 5 + 6 + 7 + 8 + 9));
    CHECK_INT(t, 3 * (10 + 11));
    CHECK_INT(a + b + c + d + e + f + g + h + i + j, 55);
    CHECK(u + v == 2);
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    for (int first = 0; first < 10; first++)
        count(first);
    return check_end();
}
