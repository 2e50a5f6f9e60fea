// Every rank sorts its bodies into an octree; then all ranks get all trees, and each adds up the potential of its bodies in them.
// engines: local mpi
// native: no (Rankine's own functions)
#include <math.h>
#include <mpi.h>
#include <rankine.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 600 };

struct body { double at[3]; };

struct cell {
    double mass, at[3]; // of all bodies inside, and their centre
    double size;        // length of an edge
    struct cell *child[8];
};

// The same bodies on every machine and for every number of ranks.
static struct body body_number(int number)
{
    unsigned long long state = (unsigned)number * 2654435761u + 12345;
    struct body body;
    for (int axis = 0; axis < 3; axis++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        body.at[axis] = (double)(state >> 40) / (1 << 24);
    }
    return body;
}

static struct cell *new_cell(double size)
{
    struct cell *cell = calloc(1, sizeof *cell);
    cell->size = size;
    return cell;
}

// Puts a body of mass 1 into a cell that begins at `corner`.
static void insert(struct cell *cell, const double at[3], const double corner[3])
{
    double half = cell->size / 2, old[3], inner[3];
    if (cell->mass == 1) { // a leaf: its body moves down
        for (int axis = 0; axis < 3; axis++)
            old[axis] = cell->at[axis];
    }
    for (int round = cell->mass == 1 ? 0 : 1; round < 2 && cell->mass > 0; round++) {
        const double *moved = round == 0 ? old : at;
        int index = 0;
        for (int axis = 0; axis < 3; axis++) {
            int upper = moved[axis] >= corner[axis] + half;
            index |= upper << axis;
            inner[axis] = corner[axis] + (upper ? half : 0);
        }
        if (cell->child[index] == NULL)
            cell->child[index] = new_cell(half);
        insert(cell->child[index], moved, inner);
    }
    for (int axis = 0; axis < 3; axis++)
        cell->at[axis] = (cell->at[axis] * cell->mass + at[axis]) / (cell->mass + 1);
    cell->mass += 1;
}

static double potential(const struct cell *cell, const double at[3])
{
    double sum = 0, square = 0;
    if (cell == NULL || cell->mass == 0)
        return 0;
    for (int axis = 0; axis < 3; axis++)
        square += (cell->at[axis] - at[axis]) * (cell->at[axis] - at[axis]);
    if (cell->mass == 1 || cell->size * cell->size < 0.1 * square)
        return square == 0 ? 0 : -cell->mass / sqrt(square);
    for (int index = 0; index < 8; index++)
        sum += potential(cell->child[index], at);
    return sum;
}

static double direct(void)
{
    double sum = 0;
    for (int i = 0; i < BODIES; i++) {
        struct body one = body_number(i);
        for (int j = 0; j < BODIES; j++) {
            struct body other = body_number(j);
            double square = 0;
            for (int axis = 0; axis < 3; axis++)
                square += (one.at[axis] - other.at[axis]) * (one.at[axis] - other.at[axis]);
            sum += square == 0 ? 0 : -1 / sqrt(square);
        }
    }
    return sum;
}

static int cells(const struct cell *cell)
{
    int count = cell != NULL;
    for (int index = 0; cell != NULL && index < 8; index++)
        count += cells(cell->child[index]);
    return count;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    Rankine_Type cell_type = RANKINE_DECLARE(struct cell);
    RANKINE_DEFINE(cell_type, struct cell, RANKINE_REFERENCE(child, cell_type));

    struct cell *tree = new_cell(1), **all = malloc(size * sizeof *all);
    int first = BODIES * rank / size, end = BODIES * (rank + 1) / size, count = 0, most = 0;
    for (int i = first; i < end; i++)
        insert(tree, body_number(i).at, (double[3]){0, 0, 0});

    // Here it happens: one call, and everybody has everybody's tree.
    Rankine_Allgather(&tree, 1, cell_type, all, size, NULL, MPI_COMM_WORLD);

    double energy = 0, total = 0;
    for (int r = 0; r < size; r++) {
        for (int i = first; i < end; i++)
            energy += potential(all[r], body_number(i).at);
        count += cells(all[r]);
    }
    MPI_Reduce(&energy, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&count, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    Rankine_Free(all, size, cell_type);
    Rankine_Free(&tree, 1, cell_type);
    if (rank == 0) {
        double exact = direct();
        printf("%d bodies in %d trees of %d cells: the potential is %s of the direct sum\n", BODIES, size, most,
               fabs(total - exact) < 0.01 * fabs(exact) ? "within 1 %" : "NOT within 1 %");
    }
    MPI_Finalize();
    return 0;
}
