// MPI_Op_create, MPI_Op_free, MPI_Op_commutative: operations of the program's own, commutative and not, on plain and derived types.
// large: yes
#include "../check.h"

// Two by two matrices: their product is associative, but its order matters.
typedef struct {
    int64_t m[2][2];
} Matrix;

static MPI_Datatype matrix_type;
static int calls;

static Matrix product(Matrix a, Matrix b)
{
    Matrix c;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            c.m[i][j] = (a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j]) % 10007;
    return c;
}

static void multiply(void *in, void *inout, count_t *count, MPI_Datatype *type)
{
    Matrix *a = in, *b = inout;
    calls++;
    CHECK(*type == matrix_type);
    for (count_t i = 0; i < *count; i++)
        b[i] = product(a[i], b[i]);
}

static Matrix matrix_of(int r, int i)
{
    return (Matrix){{{r + 1, i % 5}, {2, r + i % 3}}};
}

static void check_matrix(Matrix got, Matrix expected)
{
    for (int i = 0; i < 4; i++)
        CHECK_INT(got.m[i / 2][i % 2], expected.m[i / 2][i % 2]);
}

// Keeps the larger of two complex numbers' lengths, whole: the type is a struct with padding.
typedef struct {
    double length;
    int owner;
} Longest;

static void longest(void *in, void *inout, count_t *count, MPI_Datatype *type)
{
    Longest *a = in, *b = inout;
    (void)type;
    for (count_t i = 0; i < *count; i++)
        if (a[i].length > b[i].length)
            b[i] = a[i];
}

// On a type with a hole, which the operation must skip by itself.
static void add_ends(void *in, void *inout, count_t *count, MPI_Datatype *type)
{
    (void)type;
    for (count_t i = 0; i < *count; i++) {
        ((int *)inout)[3 * i] += ((int *)in)[3 * i];
        ((int *)inout)[3 * i + 2] += ((int *)in)[3 * i + 2];
    }
}

static void matrices(MPI_Op op, int count)
{
    Matrix *out = calloc(count, sizeof *out), *in = calloc(count, sizeof *in);
    for (int i = 0; i < count; i++)
        out[i] = matrix_of(rank, i);
    TRY(MPI_Allreduce(out, in, count, matrix_type, op, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++) {
        Matrix expected = matrix_of(0, i);
        for (int r = 1; r < size; r++)
            expected = product(expected, matrix_of(r, i));
        check_matrix(in[i], expected);
    }
    for (int root = 0; root < size; root++) {
        memset(in, 0, count * sizeof *in);
        TRY(MPI_Reduce(out, in, count, matrix_type, op, root, MPI_COMM_WORLD));
        for (int i = 0; i < count && rank == root; i++) {
            Matrix expected = matrix_of(0, i);
            for (int r = 1; r < size; r++)
                expected = product(expected, matrix_of(r, i));
            check_matrix(in[i], expected);
        }
    }
    for (int exclusive = 0; exclusive < 2; exclusive++) {
        if (exclusive)
            TRY(MPI_Exscan(out, in, count, matrix_type, op, MPI_COMM_WORLD));
        else
            TRY(MPI_Scan(out, in, count, matrix_type, op, MPI_COMM_WORLD));
        for (int i = 0; i < count && rank >= exclusive; i++) {
            Matrix expected = matrix_of(0, i);
            for (int r = 1; r <= rank - exclusive; r++)
                expected = product(expected, matrix_of(r, i));
            check_matrix(in[i], expected);
        }
    }
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Op op, commuting;
    int flag = -1;
    MPI_Datatype type;
    check_begin(&argc, &argv);
    TRY(MPI_Type_contiguous(4, MPI_INT64_T, &matrix_type));
    TRY(MPI_Type_commit(&matrix_type));
    TRY(MPI_Op_create(multiply, 0, &op));
    TRY(MPI_Op_commutative(op, &flag));
    CHECK_INT(flag, 0);
    matrices(op, 1);
    matrices(op, 10);
    matrices(op, 2000);
    CHECK(size == 1 || calls > 0);
    // Reduced and scattered: every rank gets its own block of the product.
    enum { BLOCK = 5, MAX_RANKS = 16 };
    static Matrix all[BLOCK * MAX_RANKS];
    Matrix mine[BLOCK];
    for (int i = 0; i < BLOCK * size; i++)
        all[i] = matrix_of(rank, i);
    TRY(MPI_Reduce_scatter_block(all, mine, BLOCK, matrix_type, op, MPI_COMM_WORLD));
    for (int i = 0; i < BLOCK; i++) {
        Matrix expected = matrix_of(0, rank * BLOCK + i);
        for (int r = 1; r < size; r++)
            expected = product(expected, matrix_of(r, rank * BLOCK + i));
        check_matrix(mine[i], expected);
    }
    TRY(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    TRY(MPI_Type_free(&matrix_type));

    TRY(MPI_Op_create(longest, 1, &commuting));
    TRY(MPI_Op_commutative(commuting, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Type_create_struct(2, (count_t[]){1, 1}, (aint_t[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &type));
    TRY(MPI_Type_commit(&type));
    Longest one = {(rank * 7) % size + 0.5, rank}, best = {0, -1};
    TRY(MPI_Allreduce(&one, &best, 1, type, commuting, MPI_COMM_WORLD));
    double most = 0;
    for (int r = 0; r < size; r++)
        most = (r * 7) % size + 0.5 > most ? (r * 7) % size + 0.5 : most;
    CHECK_REAL(best.length, most);
    CHECK_REAL((best.owner * 7) % size + 0.5, most);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Op_free(&commuting));

    TRY(MPI_Op_create(add_ends, 1, &op));
    TRY(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    int ends[9], sums[9];
    for (int i = 0; i < 9; i++) {
        ends[i] = rank + i;
        sums[i] = -1;
    }
    TRY(MPI_Allreduce(ends, sums, 3, type, op, MPI_COMM_WORLD));
    for (int i = 0; i < 9; i++)
        CHECK_INT(sums[i], i % 3 == 1 ? -1 : size * (size - 1) / 2 + size * i);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Op_free(&op));

    TRY(MPI_Op_commutative(MPI_SUM, &flag));
    CHECK_INT(flag, 1);
    op = MPI_SUM;
    CHECK(MPI_Op_free(&op) != MPI_SUCCESS);
    op = MPI_OP_NULL;
    FAILS(MPI_Op_free(&op), MPI_ERR_OP);
    return check_end();
}
