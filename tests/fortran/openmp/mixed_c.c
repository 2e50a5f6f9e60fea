// The C side of mixed.f90.
// part: yes
#include <omp.h>
#include <stdlib.h>

void add_in_fortran(int *sum);
void fill_in_fortran(int n, int values[]);

int team_of_c(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads)
    add_in_fortran(&sum);
    return sum;
}

int number_in_c(void) { return omp_get_thread_num(); }

/* Takes long enough for another thread to come between. */
int one_more(int number)
{
    for (volatile int i = 0; i < 100; i++) {
    }
    return number + 1;
}

void add_in_c(int *sum)
{
#pragma omp critical(both)
    *sum = one_more(*sum);
}

int sum_in_c(int n)
{
    int sum = 0, *values = malloc(n * sizeof *values);
    fill_in_fortran(n, values);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += values[i];
    free(values);
    return sum;
}

void locked_in_c(omp_lock_t *lock, int *sum)
{
    omp_set_lock(lock);
    *sum += 1;
    omp_unset_lock(lock);
}
