// MPI_Type_create_subarray: every block of small arrays of one to three dimensions, in C's and Fortran's order.
// ranks: 1 2
// large: yes
#include "layout.h"

static void attempt(int dims, const count_t *sizes, const count_t *parts, const count_t *starts, int order)
{
    long offsets[64], whole = 1;
    int n = 0;
    MPI_Datatype type;
    for (int d = 0; d < dims; d++)
        whole *= sizes[d];
    for (long at = 0; at < whole; at++) {
        // The index of the array's element `at` in each dimension, by the order.
        long rest = at;
        int inside = 1;
        for (int k = 0; k < dims; k++) {
            int d = order == MPI_ORDER_C ? dims - 1 - k : k;
            long index = rest % sizes[d];
            rest /= sizes[d];
            inside &= index >= starts[d] && index < starts[d] + parts[d];
        }
        if (inside)
            offsets[n++] = at * (long)sizeof(int);
    }
    TRY(MPI_Type_create_subarray(dims, sizes, parts, starts, order, MPI_INT, &type));
    check_layout(type, offsets, n, 0, whole * (long)sizeof(int));
    TRY(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    check_begin(&argc, &argv);
    for (int o = 0; o < 2; o++) {
        int order = o ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
        attempt(1, (count_t[]){10}, (count_t[]){4}, (count_t[]){3}, order);
        attempt(2, (count_t[]){4, 6}, (count_t[]){2, 3}, (count_t[]){1, 2}, order);
        attempt(2, (count_t[]){4, 6}, (count_t[]){4, 6}, (count_t[]){0, 0}, order);
        attempt(2, (count_t[]){5, 3}, (count_t[]){1, 3}, (count_t[]){4, 0}, order);
        attempt(2, (count_t[]){5, 3}, (count_t[]){5, 1}, (count_t[]){0, 2}, order);
        attempt(3, (count_t[]){3, 4, 5}, (count_t[]){2, 2, 2}, (count_t[]){1, 2, 3}, order);
        attempt(3, (count_t[]){3, 4, 5}, (count_t[]){3, 1, 5}, (count_t[]){0, 3, 0}, order);
    }
    if (embedded()) { // MPICH 5.0 lets these pass.
        FAILS(MPI_Type_create_subarray(1, (count_t[]){4}, (count_t[]){3}, (count_t[]){2}, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
        FAILS(MPI_Type_create_subarray(1, (count_t[]){4}, (count_t[]){5}, (count_t[]){0}, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
    }
    return check_end();
}
