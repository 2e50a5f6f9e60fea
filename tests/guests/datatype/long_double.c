// long double, alone, complex and in pairs, with gaps between the elements: every bit arrives, and the types stay what they are.
#include "../check.h"
#include <complex.h>
#include <stddef.h>

enum { COUNT = 7 };

struct pair {
    long double value;
    int index;
};

// The type that the operation was told, in a rank that it was called in.
static MPI_Datatype seen = MPI_DATATYPE_NULL;

// Both operands' sum, element by element; it is told the type that the program gave.
static void sum_complex(void *in, void *inout, int *count, MPI_Datatype *type)
{
    long double _Complex *a = in, *b = inout;
    seen = *type;
    for (int i = 0; i < *count; i++)
        b[i] += a[i];
}

// No double holds it.
static long double precise(int i)
{
    return (i + 1) / 3.0L;
}

// Sends every other element of `out` to the next rank, and receives into `in`.
static void shift(void *out, void *in, MPI_Datatype element)
{
    MPI_Datatype gapped;
    TRY(MPI_Type_vector(COUNT, 1, 2, element, &gapped));
    TRY(MPI_Type_commit(&gapped));
    TRY(MPI_Sendrecv(out, 1, gapped, (rank + 1) % size, 1, in, 1, gapped, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
    TRY(MPI_Type_free(&gapped));
}

static void check_gaps(void)
{
    long double out[2 * COUNT], in[2 * COUNT];
    long double _Complex out_complex[2 * COUNT], in_complex[2 * COUNT];
    struct pair out_pairs[2 * COUNT], in_pairs[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) {
        out[i] = precise(i);
        out_complex[i] = precise(i) + precise(-i) * I;
        out_pairs[i] = (struct pair){precise(i), i};
        in[i] = in_complex[i] = -1;
        in_pairs[i] = (struct pair){-1, -1};
    }
    shift(out, in, MPI_LONG_DOUBLE);
    shift(out_complex, in_complex, MPI_C_LONG_DOUBLE_COMPLEX);
    shift(out_pairs, in_pairs, MPI_LONG_DOUBLE_INT);
    for (int i = 0; i < 2 * COUNT; i++) {
        int arrives = i % 2 == 0;
        CHECK(in[i] == (arrives ? out[i] : -1));
        CHECK(in_complex[i] == (arrives ? out_complex[i] : -1));
        CHECK(in_pairs[i].value == (arrives ? out_pairs[i].value : -1));
        CHECK_INT(in_pairs[i].index, arrives ? i : -1);
    }
}

static void check_reductions(void)
{
    long double sum = 0, one = precise(0);
    long double _Complex complex_one = precise(0) + precise(1) * I, complex_sum = 0, own_sum = 0;
    struct pair mine = {precise(rank), rank}, largest = {0, -1};
    MPI_Op op;
    TRY(MPI_Allreduce(&one, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum > size * one - 1e-15L && sum < size * one + 1e-15L);
    TRY(MPI_Allreduce(&complex_one, &complex_sum, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Op_create(sum_complex, 1, &op));
    TRY(MPI_Allreduce(&complex_one, &own_sum, 1, MPI_C_LONG_DOUBLE_COMPLEX, op, MPI_COMM_WORLD));
    CHECK(cabsl(own_sum - complex_sum) < 1e-15L);
    CHECK(seen == MPI_DATATYPE_NULL || seen == MPI_C_LONG_DOUBLE_COMPLEX);
    TRY(MPI_Op_free(&op));
    TRY(MPI_Allreduce(&mine, &largest, 1, MPI_LONG_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    CHECK(largest.value == precise(size - 1));
    CHECK_INT(largest.index, size - 1);
}

// A structure is as long as the compiler's, and says how it was made.
static void check_structure(void)
{
    int lengths[2] = {1, 1}, ints, addresses, types, combiner, made_with[3];
    MPI_Aint displs[2] = {offsetof(struct pair, value), offsetof(struct pair, index)}, lower, extent, made_at[2];
    MPI_Datatype made, contained[2];
    struct pair out[COUNT], in[COUNT];
    TRY(MPI_Type_create_struct(2, lengths, displs, (MPI_Datatype[]){MPI_LONG_DOUBLE, MPI_INT}, &made));
    TRY(MPI_Type_commit(&made));
    TRY(MPI_Type_get_extent(made, &lower, &extent));
    CHECK_INT(extent, sizeof(struct pair));
    TRY(MPI_Type_get_envelope(made, &ints, &addresses, &types, &combiner));
    CHECK_INT(combiner, MPI_COMBINER_STRUCT);
    TRY(MPI_Type_get_contents(made, 3, 2, 2, made_with, made_at, contained));
    CHECK(contained[0] == MPI_LONG_DOUBLE && contained[1] == MPI_INT);
    for (int i = 0; i < COUNT; i++)
        out[i] = (struct pair){precise(i), i};
    TRY(MPI_Sendrecv(out, COUNT, made, (rank + 1) % size, 1, in, COUNT, made, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK(in[i].value == out[i].value && in[i].index == i);
    TRY(MPI_Type_free(&made));
}

// They are predefined types, whatever stands for them in a library.
static void check_identity(MPI_Datatype type)
{
    int ints, addresses, types, combiner, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Datatype made, contained, copy = type;
    TRY(MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner));
    CHECK_INT(combiner, MPI_COMBINER_NAMED);
    FAILS(MPI_Type_free(&copy), MPI_ERR_TYPE);
    TRY(MPI_Type_get_name(type, name, &length));
    CHECK(strncmp(name, "MPI_", 4) == 0);
    TRY(MPI_Type_contiguous(3, type, &made));
    TRY(MPI_Type_get_contents(made, 1, 0, 1, &ints, NULL, &contained));
    CHECK(contained == type);
    TRY(MPI_Type_free(&made));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_gaps();
    check_reductions();
    check_structure();
    check_identity(MPI_LONG_DOUBLE);
    check_identity(MPI_C_LONG_DOUBLE_COMPLEX);
    check_identity(MPI_LONG_DOUBLE_INT);
    check_gaps();
    return check_end();
}
