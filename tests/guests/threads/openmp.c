// OpenMP in a rank: teams, work sharing with every schedule, reductions, tasks, locks, and what belongs to a thread.
// ranks: 1 2
// cc: -fopenmp -O2
// run: --threads-per-rank 3
#include "../check.h"
#include <omp.h>

enum { N = 10000 };

static int own;
#pragma omp threadprivate(own)

static int fibonacci(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 8)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 8)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static long of_schedule(omp_sched_t kind)
{
    static int times[N];
    long sum = 0;
    omp_set_schedule(kind, 7);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        times[i]++;
        sum += i;
    }
    for (int i = 0; i < N; i++) {
        CHECK_INT(times[i], 1);
        times[i] = 0;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const long all = (long)N * (N - 1) / 2;
    int threads = 0, atomic = 0, critical = 0, result = 0, ordered = 0, seen = 0, locked = 0;
    double largest = -1, total = 0;
    omp_lock_t lock;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    CHECK(_OPENMP >= 201511);
    if (embedded()) {
        CHECK_INT(omp_get_max_threads(), 3);
        CHECK_INT(omp_get_num_procs(), 3);
    }
    omp_set_num_threads(3);
    omp_init_lock(&lock);
#pragma omp parallel reduction(+ : threads)
    {
        threads++;
        own = omp_get_thread_num();
#pragma omp atomic
        atomic += 2;
#pragma omp critical
        critical = critical + 3;
        for (int i = 0; i < 100; i++) {
            omp_set_lock(&lock);
            locked++;
            omp_unset_lock(&lock);
        }
    }
    CHECK_INT(threads, 3);
    CHECK_INT(atomic, 6);
    CHECK_INT(critical, 9);
    CHECK_INT(locked, 300);
#pragma omp parallel reduction(+ : seen)
    seen += own == omp_get_thread_num();
    CHECK_INT(seen, 3);

    for (omp_sched_t kind = omp_sched_static; kind <= omp_sched_auto; kind++)
        CHECK(of_schedule(kind) == all);
#pragma omp parallel for reduction(max : largest) reduction(+ : total) collapse(2)
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++) {
            double value = i * 100.0 + j;
            largest = value > largest ? value : largest;
            total += value;
        }
    CHECK(largest == N - 1 && total == (double)all);
#pragma omp parallel for ordered
    for (int i = 0; i < 50; i++) {
#pragma omp ordered
        ordered = ordered == i ? i + 1 : -1000;
    }
    CHECK_INT(ordered, 50);
#pragma omp parallel
#pragma omp single
    result = fibonacci(16);
    CHECK_INT(result, 987);
    omp_destroy_lock(&lock);
    TRY(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(total == (double)size * all);
    return check_end();
}
