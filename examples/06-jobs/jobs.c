// A master scatters an array of jobs and gathers the results, as in a genetic algorithm: each job is a formula, a small graph, which
// its worker varies to come nearer to a curve. Formulas that several jobs have in common are shared, and stay so.
// engines: local mpi
// native: no (Rankine's own functions)
#include <mpi.h>
#include <rankine.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 40, KEPT = 10, GENERATIONS = 6, TRIES = 60, POINTS = 21, MOST_NODES = 40 };
enum { NUMBER, VARIABLE, SUM, PRODUCT };

struct formula { int kind; double value; struct formula *left, *right; };
struct job { struct formula *formula; double error; int number; };

static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)n);
}

static struct formula *node(int kind, double value, struct formula *left, struct formula *right)
{
    struct formula *formula = malloc(sizeof *formula);
    *formula = (struct formula){kind, value, left, right};
    return formula;
}

static struct formula *random_formula(int depth)
{
    int kind = below(depth == 0 ? 2 : 4);
    if (kind == NUMBER)
        return node(NUMBER, (below(81) - 40) / 10.0, NULL, NULL);
    if (kind == VARIABLE)
        return node(VARIABLE, 0, NULL, NULL);
    struct formula *left = random_formula(depth - 1);
    return node(kind, 0, left, random_formula(depth - 1));
}

static int nodes(const struct formula *formula)
{
    return formula == NULL ? 0 : 1 + nodes(formula->left) + nodes(formula->right);
}

// A copy in which the node with this number, counted from the root, is another formula.
static struct formula *varied(const struct formula *formula, int number)
{
    if (formula == NULL)
        return NULL;
    if (number == 0)
        return random_formula(2);
    int left = nodes(formula->left);
    return node(formula->kind, formula->value, varied(formula->left, number <= left ? number - 1 : -1),
                varied(formula->right, number > left ? number - 1 - left : -1));
}

static double value(const struct formula *formula, double x)
{
    switch (formula->kind) {
    case NUMBER: return formula->value;
    case VARIABLE: return x;
    case SUM: return value(formula->left, x) + value(formula->right, x);
    default: return value(formula->left, x) * value(formula->right, x);
    }
}

static double error_of(const struct formula *formula)
{
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double x = (i - POINTS / 2) / 5.0, difference = value(formula, x) - ((x * x - 2) * x + 1);
        sum += difference * difference;
    }
    return sum;
}

static void work(struct job *job, int generation)
{
    state = (unsigned)(generation * 1000 + job->number);
    job->formula = varied(job->formula, -1); // others may share it
    job->error = error_of(job->formula);
    for (int i = 0; i < TRIES; i++) {
        struct formula *next = varied(job->formula, below(nodes(job->formula)));
        double error = error_of(next);
        if (nodes(next) <= MOST_NODES && error < job->error) {
            job->formula = next;
            job->error = error;
        }
    }
}

static int by_error(const void *a, const void *b)
{
    const struct job *one = *(struct job *const *)a, *two = *(struct job *const *)b;
    return one->error < two->error ? -1 : one->error > two->error ? 1 : one->number - two->number;
}

int main(int argc, char **argv)
{
    int rank, size, counts[1024];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    Rankine_Type formula_type = RANKINE_DECLARE(struct formula), job_type = RANKINE_DECLARE(struct job);
    RANKINE_DEFINE(formula_type, struct formula, RANKINE_REFERENCE(left, formula_type),
                   RANKINE_REFERENCE(right, formula_type));
    RANKINE_DEFINE(job_type, struct job, RANKINE_REFERENCE(formula, formula_type));

    struct job *jobs[JOBS], *mine[JOBS], *results[JOBS];
    for (int i = 0; i < size; i++)
        counts[i] = JOBS * (i + 1) / size - JOBS * i / size;
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = malloc(sizeof **jobs);
        *jobs[i] = (struct job){node(VARIABLE, 0, NULL, NULL), 0, i};
    }
    for (int generation = 0; generation < GENERATIONS; generation++) {
        int received;
        Rankine_Scatter(jobs, counts, NULL, job_type, mine, JOBS, &received, 0, MPI_COMM_WORLD);
        for (int i = 0; i < received; i++)
            work(mine[i], generation);
        Rankine_Gather(mine, received, job_type, results, JOBS, NULL, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            qsort(results, JOBS, sizeof *results, by_error);
            printf("generation %d: the best formula has %d nodes and an error of %.4f\n", generation,
                   nodes(results[0]->formula), results[0]->error);
            for (int i = 0; i < JOBS; i++)
                *jobs[i] = (struct job){results[i % KEPT]->formula, 0, i};
        }
    }
    MPI_Finalize();
    return 0;
}
