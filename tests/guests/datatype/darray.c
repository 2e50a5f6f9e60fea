// MPI_Type_create_darray: block, cyclic and whole dimensions over grids of processes, in C's and Fortran's order.
// ranks: 1 2
// large: yes
#include "layout.h"

// Whether the index belongs to the process with this coordinate.
static int owns(int distrib, int darg, long global, int processes, int coordinate, long index)
{
    long block;
    if (distrib == MPI_DISTRIBUTE_NONE)
        return 1;
    if (distrib == MPI_DISTRIBUTE_BLOCK)
        block = darg == MPI_DISTRIBUTE_DFLT_DARG ? (global + processes - 1) / processes : darg;
    else
        block = darg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : darg;
    return (index / block) % processes == coordinate;
}

static void attempt(int dims, const count_t *sizes, const int *distribs, const int *dargs, const int *grid, int order)
{
    int processes = 1;
    long whole = 1;
    for (int d = 0; d < dims; d++) {
        processes *= grid[d];
        whole *= sizes[d];
    }
    for (int who = 0; who < processes; who++) {
        long offsets[256];
        int n = 0, coordinates[4], rest = who;
        MPI_Datatype type;
        // Processes are numbered in C's order, whatever the order of the array.
        for (int d = dims - 1; d >= 0; d--) {
            coordinates[d] = rest % grid[d];
            rest /= grid[d];
        }
        for (long at = 0; at < whole; at++) {
            long left = at;
            int mine = 1;
            for (int k = 0; k < dims; k++) {
                int d = order == MPI_ORDER_C ? dims - 1 - k : k;
                mine &= owns(distribs[d], dargs[d], sizes[d], grid[d], coordinates[d], left % sizes[d]);
                left /= sizes[d];
            }
            if (mine)
                offsets[n++] = at * (long)sizeof(int);
        }
        TRY(MPI_Type_create_darray(processes, who, dims, sizes, distribs, dargs, grid, order, MPI_INT, &type));
        check_layout(type, offsets, n, 0, whole * (long)sizeof(int));
        TRY(MPI_Type_free(&type));
    }
}

int main(int argc, char **argv)
{
    enum { N = MPI_DISTRIBUTE_NONE, B = MPI_DISTRIBUTE_BLOCK, C = MPI_DISTRIBUTE_CYCLIC, DFLT = MPI_DISTRIBUTE_DFLT_DARG };
    check_begin(&argc, &argv);
    for (int o = 0; o < 2; o++) {
        int order = o ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
        attempt(1, (count_t[]){12}, (int[]){B}, (int[]){DFLT}, (int[]){4}, order);
        attempt(1, (count_t[]){10}, (int[]){B}, (int[]){DFLT}, (int[]){3}, order);
        attempt(1, (count_t[]){12}, (int[]){C}, (int[]){DFLT}, (int[]){4}, order);
        attempt(1, (count_t[]){13}, (int[]){C}, (int[]){2}, (int[]){3}, order);
        attempt(1, (count_t[]){10}, (int[]){B}, (int[]){5}, (int[]){3}, order);
        attempt(2, (count_t[]){6, 8}, (int[]){B, B}, (int[]){DFLT, DFLT}, (int[]){2, 2}, order);
        attempt(2, (count_t[]){6, 8}, (int[]){N, C}, (int[]){DFLT, 3}, (int[]){1, 2}, order);
        attempt(2, (count_t[]){7, 5}, (int[]){C, B}, (int[]){2, DFLT}, (int[]){2, 2}, order);
        attempt(3, (count_t[]){4, 5, 6}, (int[]){B, N, C}, (int[]){DFLT, DFLT, DFLT}, (int[]){2, 1, 3}, order);
    }
    return check_end();
}
