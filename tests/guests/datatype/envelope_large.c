// MPI_Type_get_envelope_c, MPI_Type_get_contents_c: arguments of the `_c` constructors, and of the others seen through these.
#include "../check.h"

static int integers[64];
static MPI_Aint addresses[16];
static MPI_Count counts[64];
static MPI_Datatype types[16];

static void decode(MPI_Datatype *type, int combiner, int n_integers, int n_addresses, int n_counts, int n_types)
{
    MPI_Count i = -1, a = -1, l = -1, t = -1;
    int c = -1;
    TRY(MPI_Type_get_envelope_c(*type, &i, &a, &l, &t, &c));
    CHECK_INT(c, combiner);
    CHECK_INT(i, n_integers);
    CHECK_INT(a, n_addresses);
    CHECK_INT(l, n_counts);
    CHECK_INT(t, n_types);
    if (combiner != MPI_COMBINER_NAMED) {
        TRY(MPI_Type_get_contents_c(*type, 64, 16, 64, 16, integers, addresses, counts, types));
        TRY(MPI_Type_free(type));
    }
}

static void check_counts(int n, const MPI_Count *expected)
{
    for (int i = 0; i < n; i++)
        CHECK_INT(counts[i], expected[i]);
}

int main(int argc, char **argv)
{
    MPI_Datatype type = MPI_INT;
    int i, a, t, c;
    check_begin(&argc, &argv);
    decode(&type, MPI_COMBINER_NAMED, 0, 0, 0, 0);
    TRY(MPI_Type_contiguous_c(7, MPI_SHORT, &type));
    decode(&type, MPI_COMBINER_CONTIGUOUS, 0, 0, 1, 1);
    check_counts(1, (MPI_Count[]){7});
    TRY(MPI_Type_vector_c(3, 2, -5, MPI_FLOAT, &type));
    decode(&type, MPI_COMBINER_VECTOR, 0, 0, 3, 1);
    check_counts(3, (MPI_Count[]){3, 2, -5});
    TRY(MPI_Type_create_hvector_c(3, 2, 50, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HVECTOR, 0, 0, 3, 1);
    check_counts(3, (MPI_Count[]){3, 2, 50});
    TRY(MPI_Type_indexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){3, 4}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_INDEXED, 0, 0, 5, 1);
    check_counts(5, (MPI_Count[]){2, 1, 2, 3, 4});
    TRY(MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){-3, 40}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HINDEXED, 0, 0, 5, 1);
    check_counts(5, (MPI_Count[]){2, 1, 2, -3, 40});
    TRY(MPI_Type_create_indexed_block_c(2, 6, (MPI_Count[]){7, 0}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_INDEXED_BLOCK, 0, 0, 4, 1);
    check_counts(4, (MPI_Count[]){2, 6, 7, 0});
    TRY(MPI_Type_create_hindexed_block_c(2, 6, (MPI_Count[]){100, 0}, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HINDEXED_BLOCK, 0, 0, 4, 1);
    check_counts(4, (MPI_Count[]){2, 6, 100, 0});
    TRY(MPI_Type_create_struct_c(2, (MPI_Count[]){1, 3}, (MPI_Count[]){0, 16}, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &type));
    decode(&type, MPI_COMBINER_STRUCT, 0, 0, 5, 2);
    check_counts(5, (MPI_Count[]){2, 1, 3, 0, 16});
    CHECK(types[0] == MPI_CHAR && types[1] == MPI_DOUBLE);
    TRY(MPI_Type_create_subarray_c(2, (MPI_Count[]){4, 5}, (MPI_Count[]){2, 3}, (MPI_Count[]){1, 0}, MPI_ORDER_C, MPI_INT, &type));
    decode(&type, MPI_COMBINER_SUBARRAY, 2, 0, 6, 1);
    CHECK_INT(integers[0], 2);
    CHECK_INT(integers[1], MPI_ORDER_C);
    check_counts(6, (MPI_Count[]){4, 5, 2, 3, 1, 0});
    TRY(MPI_Type_create_darray_c(4, 1, 2, (MPI_Count[]){4, 6}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                                 (int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (int[]){2, 2}, MPI_ORDER_C, MPI_INT, &type));
    decode(&type, MPI_COMBINER_DARRAY, 10, 0, 2, 1);
    CHECK_INT(integers[0], 4);
    CHECK_INT(integers[9], MPI_ORDER_C);
    check_counts(2, (MPI_Count[]){4, 6});
    TRY(MPI_Type_create_resized_c(MPI_INT, -4, 12, &type));
    decode(&type, MPI_COMBINER_RESIZED, 0, 0, 2, 1);
    check_counts(2, (MPI_Count[]){-4, 12});
    // Made by a function without large counts, seen with them: no large counts.
    TRY(MPI_Type_create_hvector(3, 2, 50, MPI_INT, &type));
    decode(&type, MPI_COMBINER_HVECTOR, 2, 1, 0, 1);
    CHECK_INT(integers[0], 3);
    CHECK_INT(addresses[0], 50);
    // The other way round it is an error.
    TRY(MPI_Type_contiguous_c(7, MPI_SHORT, &type));
    if (embedded()) // MPICH 5.0 lets it pass.
        FAILS(MPI_Type_get_envelope(type, &i, &a, &t, &c), MPI_ERR_TYPE);
    TRY(MPI_Type_free(&type));
    return check_end();
}
