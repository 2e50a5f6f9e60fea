// Graphs received into one block (RANKINE_TOGETHER): shared, cyclic, of several roots; one free ends them.
// ranks: 1 2 3
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct task { int number; struct task *next; double *data; int n; char *name; };
struct cell { struct cell *row; };
struct wide { long double value; struct wide *next; };

static Rankine_Type task, cell, wide;

static void describe(void)
{
    task = RANKINE_DECLARE(struct task);
    cell = RANKINE_DECLARE(struct cell);
    wide = RANKINE_DECLARE(struct wide);
    RANKINE_DEFINE(task, struct task, RANKINE_REFERENCE(next, task), RANKINE_ARRAY(data, RANKINE_OF(MPI_DOUBLE), n),
                   RANKINE_STRING(name));
    RANKINE_DEFINE(cell, struct cell, RANKINE_FIXED_ARRAY(row, cell, 2));
    RANKINE_DEFINE(wide, struct wide, RANKINE_REFERENCE(next, wide));
}

// Every block that is alive, as the allocator of this program counts them.
static int blocks;

static int allocate(int n, const unsigned sizes[], void *addresses[])
{
    CHECK_INT(n, 1);
    addresses[0] = malloc(sizes[0]);
    blocks++;
    return 0;
}

static void release(int n, void *addresses[])
{
    CHECK_INT(n, 1);
    free(addresses[0]);
    blocks--;
}

static int nothing_left(int n, const unsigned sizes[], void *addresses[])
{
    (void)sizes;
    (void)addresses;
    return n;
}

// A ring of tasks; every task has as many numbers as its own number says.
static void make_ring(struct task *tasks, int n)
{
    for (int i = 0; i < n; i++) {
        tasks[i] = (struct task){i, &tasks[(i + 1) % n], i ? malloc(i * sizeof(double)) : NULL, i, i % 2 ? "odd" : NULL};
        for (int j = 0; j < i; j++)
            tasks[i].data[j] = i + j;
    }
}

static void check_ring(const struct task *first, int n, int start)
{
    const struct task *at = first;
    for (int i = 0; i < n; i++, at = at->next) {
        int number = (start + i) % n;
        CHECK_INT(at->number, number);
        CHECK_INT(at->n, number);
        for (int j = 0; j < number; j++)
            CHECK(at->data[j] == number + j);
        CHECK(number % 2 ? strcmp(at->name, "odd") == 0 : at->name == NULL);
    }
    CHECK(at == first);
}

enum { RING = 9 };

static void messages(int next, int before)
{
    struct task ring[RING], *roots[4], *came[4];
    make_ring(ring, RING);
    roots[0] = NULL;
    roots[1] = &ring[4];
    roots[2] = &ring[1];
    roots[3] = &ring[4];
    MPI_Status status;
    int count, objects;
    TRY(Rankine_Sendrecv(roots, 4, next, 0, came, 4, before, 0, RANKINE_TOGETHER(task), MPI_COMM_WORLD, &status));
    TRY(Rankine_Get_count(&status, &count));
    TRY(Rankine_Get_objects(&status, &objects));
    CHECK_INT(count, 4);
    CHECK_INT(objects, RING + RING - 1 + 1); // Odd names are one string, which all share.
    CHECK(came[0] == NULL && came[1] == came[3]);
    check_ring(came[1], RING, 4);
    check_ring(came[2], RING, 1);
    CHECK_INT(blocks, 1);
    TRY(Rankine_Free(came, 4, RANKINE_TOGETHER(task)));
    CHECK_INT(blocks, 0);

    MPI_Request request;
    struct task *root = &ring[0], *one;
    TRY(Rankine_Irecv(&one, 1, RANKINE_TOGETHER(task), before, 1, MPI_COMM_WORLD, &request));
    TRY(Rankine_Send(&root, 1, task, next, 1, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_ring(one, RING, 0);
    free(one);
    blocks--;

    // Without a reference there is no block.
    TRY(Rankine_Sendrecv(roots, 1, next, 2, came, 1, before, 2, RANKINE_TOGETHER(task), MPI_COMM_WORLD, &status));
    CHECK(came[0] == NULL);
    TRY(Rankine_Free(came, 1, RANKINE_TOGETHER(task)));
    CHECK_INT(blocks, 0);
}

// Every part is a graph, and a block, of its own.
static void several_blocks(void)
{
    struct task ring[RING], *root = &ring[rank % RING], *all[64];
    make_ring(ring, RING);
    TRY(Rankine_Allgather(&root, 1, RANKINE_TOGETHER(task), all, size, NULL, MPI_COMM_WORLD));
    CHECK_INT(blocks, size);
    for (int i = 0; i < size; i++) {
        check_ring(all[i], RING, i % RING);
        TRY(Rankine_Free(&all[i], 1, RANKINE_TOGETHER(task)));
    }
    CHECK_INT(blocks, 0);
}

static void aligned(void)
{
    struct wide second = {2.5L, NULL}, first = {1.5L, &second}, *root = &first, *came;
    TRY(Rankine_Sendrecv(&root, 1, 0, 0, &came, 1, 0, 0, RANKINE_TOGETHER(wide), MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK((size_t)came % 16 == 0 && (size_t)came->next % 16 == 0);
    CHECK(came->value == 1.5L && came->next->value == 2.5L && came->next->next == NULL);
    TRY(Rankine_Free(&came, 1, RANKINE_TOGETHER(wide)));
}

static void refused(void)
{
    // The first object is a part of the row that it refers to.
    struct cell row[2] = {{row}, {row}}, *roots[2] = {&row[1], &row[0]}, *came[2] = {NULL};
    FAILS(Rankine_Sendrecv(roots, 2, 0, 0, came, 2, 0, 0, RANKINE_TOGETHER(cell), MPI_COMM_SELF, MPI_STATUS_IGNORE),
          MPI_ERR_TYPE);
    CHECK(came[0] == NULL);
    CHECK_INT(blocks, 0);
    struct task one = {0}, *root = &one, *kept = &one;
    FAILS(Rankine_Send(&root, 1, RANKINE_TOGETHER(RANKINE_VALUES(task)), 0, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    FAILS(Rankine_Free((void *)0xfffffff0u, 8, RANKINE_TOGETHER(task)), MPI_ERR_ARG);
    TRY(Rankine_Set_allocator(nothing_left, release));
    FAILS(Rankine_Sendrecv(&root, 1, 0, 0, &kept, 1, 0, 0, RANKINE_TOGETHER(task), MPI_COMM_SELF, MPI_STATUS_IGNORE),
          MPI_ERR_NO_MEM);
    CHECK(kept == &one);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    describe();
    TRY(Rankine_Set_allocator(allocate, release));
    messages((rank + 1) % size, (rank + size - 1) % size);
    several_blocks();
    aligned();
    refused();
    return check_end();
}
