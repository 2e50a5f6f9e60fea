// MPI_Type_get_envelope, MPI_Type_get_contents: what every constructor was called with.
#include "../check.h"

static int integers[64];
static MPI_Aint addresses[16];
static MPI_Datatype types[16];

// Decodes the type, which must have been made by `combiner` with so many arguments of each kind, and frees it.
static void decode(MPI_Datatype *type, int combiner, int n_integers, int n_addresses, int n_types)
{
    int i = -1, a = -1, t = -1, c = -1;
    TRY(MPI_Type_get_envelope(*type, &i, &a, &t, &c));
    CHECK_INT(c, combiner);
    CHECK_INT(i, n_integers);
    CHECK_INT(a, n_addresses);
    CHECK_INT(t, n_types);
    if (combiner != MPI_COMBINER_NAMED) {
        TRY(MPI_Type_get_contents(*type, 64, 16, 16, integers, addresses, types));
        TRY(MPI_Type_free(type));
    }
}

static void check_integers(int n, const int *expected)
{
    for (int i = 0; i < n; i++)
        CHECK_INT(integers[i], expected[i]);
}

int main(int argc, char **argv)
{
    MPI_Datatype type = MPI_INT, vector;
    check_begin(&argc, &argv);
    decode(&type, MPI_COMBINER_NAMED, 0, 0, 0);
    type = MPI_DOUBLE_INT;
    decode(&type, MPI_COMBINER_NAMED, 0, 0, 0);
    FAILS(MPI_Type_get_contents(MPI_INT, 1, 1, 1, integers, addresses, types), MPI_ERR_TYPE);

    TRY(MPI_Type_dup(MPI_INT, &type));
    decode(&type, MPI_COMBINER_DUP, 0, 0, 1);
    CHECK(types[0] == MPI_INT);
    TRY(MPI_Type_contiguous(7, MPI_SHORT, &type));
    decode(&type, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    check_integers(1, (int[]){7});
    CHECK(types[0] == MPI_SHORT);
    TRY(MPI_Type_vector(3, 2, -5, MPI_FLOAT, &vector));
    TRY(MPI_Type_dup(vector, &type));
    decode(&type, MPI_COMBINER_DUP, 0, 0, 1);
    // The component is a handle of our own now: the same type, to be freed.
    type = types[0];
    decode(&type, MPI_COMBINER_VECTOR, 3, 0, 1);
    check_integers(3, (int[]){3, 2, -5});
    CHECK(types[0] == MPI_FLOAT);
    decode(&vector, MPI_COMBINER_VECTOR, 3, 0, 1);
    TRY(MPI_Type_create_hvector(3, 2, 50, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HVECTOR, 2, 1, 1);
    check_integers(2, (int[]){3, 2});
    CHECK_INT(addresses[0], 50);
    TRY(MPI_Type_indexed(2, (int[]){1, 2}, (int[]){3, 4}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_INDEXED, 5, 0, 1);
    check_integers(5, (int[]){2, 1, 2, 3, 4});
    TRY(MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){-3, 40}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HINDEXED, 3, 2, 1);
    check_integers(3, (int[]){2, 1, 2});
    CHECK_INT(addresses[0], -3);
    CHECK_INT(addresses[1], 40);
    TRY(MPI_Type_create_indexed_block(2, 6, (int[]){7, 0}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1);
    check_integers(4, (int[]){2, 6, 7, 0});
    TRY(MPI_Type_create_hindexed_block(2, 6, (MPI_Aint[]){100, 0}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1);
    check_integers(2, (int[]){2, 6});
    CHECK_INT(addresses[0], 100);
    TRY(MPI_Type_create_struct(2, (int[]){1, 3}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &type));
    decode(&type, MPI_COMBINER_STRUCT, 3, 2, 2);
    check_integers(3, (int[]){2, 1, 3});
    CHECK_INT(addresses[1], 16);
    CHECK(types[0] == MPI_CHAR && types[1] == MPI_DOUBLE);
    TRY(MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 0}, MPI_ORDER_FORTRAN, MPI_INT, &type));
    decode(&type, MPI_COMBINER_SUBARRAY, 8, 0, 1);
    check_integers(8, (int[]){2, 4, 5, 2, 3, 1, 0, MPI_ORDER_FORTRAN});
    TRY(MPI_Type_create_darray(4, 1, 2, (int[]){4, 6}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, (int[]){MPI_DISTRIBUTE_DFLT_DARG, 2},
                               (int[]){2, 2}, MPI_ORDER_C, MPI_INT, &type));
    decode(&type, MPI_COMBINER_DARRAY, 12, 0, 1);
    check_integers(12, (int[]){4, 1, 2, 4, 6, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 2, MPI_ORDER_C});
    TRY(MPI_Type_create_resized(MPI_INT, -4, 12, &type));
    decode(&type, MPI_COMBINER_RESIZED, 0, 2, 1);
    CHECK_INT(addresses[0], -4);
    CHECK_INT(addresses[1], 12);
    return check_end();
}
