#include <omp.h>

/* What the threads of a team have added up, in halves. */
double half_sum(int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= n; i++)
        sum += 0.5 * i;
    return sum;
}
