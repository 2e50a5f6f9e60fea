// Accumulations of what can't be combined, of types that overlap, lie backwards or end within an element, where the target is the origin, or
// the memory goes away: an error, or a result in the part that was named.
// ranks: 1 2 4
#include "hostile.h"

enum { N = 64 };
static struct {
    int before[16], cells[N], after[16];
} part;
static MPI_Win window;
static int to;

static void epoch(int *values)
{
    for (int i = 0; i < N; i++)
        values[i] = i;
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window));
}

/* No byte beside the part was touched; its own may be anything. */
static void check_part(void)
{
    TRY(MPI_Win_unlock(to, window));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 16; i++) {
        CHECK_INT(part.before[i], 0x0badcafe);
        CHECK_INT(part.after[i], 0x0badcafe);
    }
}

/* Operations and types that windows don't combine, or not with one another. */
static void kinds(int *values, int *results)
{
    MPI_Datatype mixed, none = MPI_DATATYPE_NULL;
    MPI_Op own;
    TRY(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_FLOAT}, &mixed));
    TRY(MPI_Type_commit(&mixed));
    TRY(MPI_Op_create((MPI_User_function *)(uintptr_t)0x7fffff, 1, &own));
    epoch(values);
    const struct {
        MPI_Datatype type;
        MPI_Op op;
    } wrong[] = {
        {MPI_INT, MPI_OP_NULL}, {mixed, MPI_SUM}, {none, MPI_SUM}, {MPI_INT, (MPI_Op)0x7654321}, {(MPI_Datatype)0x7654321, MPI_SUM}, {MPI_INT, own},
        {MPI_INT, MPI_MINLOC}, {MPI_2INT, MPI_SUM}, {MPI_FLOAT, MPI_BAND}, {MPI_DOUBLE, MPI_BXOR}, {MPI_C_DOUBLE_COMPLEX, MPI_MAX}, {MPI_BYTE, MPI_SUM},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(MPI_Accumulate(values, 1, wrong[i].type, to, 0, 1, wrong[i].type, wrong[i].op, window));
        REFUSED(MPI_Get_accumulate(values, 1, wrong[i].type, results, 1, wrong[i].type, to, 0, 1, wrong[i].type, wrong[i].op, window));
        REFUSED(MPI_Fetch_and_op(values, results, wrong[i].type, to, 0, wrong[i].op, window));
    }
    REFUSED(MPI_Compare_and_swap(values, values, results, MPI_FLOAT, to, 0, window));
    REFUSED(MPI_Compare_and_swap(values, values, results, MPI_2INT, to, 0, window));
    REFUSED(MPI_Compare_and_swap(values, near_end(2), results, MPI_INT, to, 0, window));
    REFUSED(MPI_Fetch_and_op(values, near_end(3), MPI_INT, to, 0, MPI_SUM, window));
    check_part();
    TRY(MPI_Type_free(&mixed));
    TRY(MPI_Op_free(&own));
}

/* Displacements, counts and types that lead out of the part. */
static void places(int *values)
{
    static const MPI_Aint far[] = {-1, N, N - 1, INT32_MAX, INT32_MIN, 1 << 28, 1 << 29, 1 << 30};
    MPI_Datatype back, spread, deep;
    TRY(MPI_Type_create_resized(MPI_INT, 0, -4, &back));
    TRY(MPI_Type_commit(&back));
    TRY(MPI_Type_vector(2, 1, N, MPI_INT, &spread));
    TRY(MPI_Type_commit(&spread));
    TRY(MPI_Type_create_hvector_c(1 << 16, 1, (MPI_Count)1 << 32, MPI_INT, &deep));
    TRY(MPI_Type_commit(&deep));
    epoch(values);
    for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
        REFUSED(MPI_Accumulate(values, 2, MPI_INT, to, far[i], 2, MPI_INT, MPI_SUM, window));
        REFUSED(MPI_Accumulate(values, 2, MPI_INT, to, far[i], 1, spread, MPI_REPLACE, window));
    }
    REFUSED(MPI_Accumulate(values, 3, MPI_INT, to, 1, 3, back, MPI_SUM, window));
    REFUSED(MPI_Accumulate(values, 1, deep, to, 0, 1, deep, MPI_SUM, window));
    REFUSED(MPI_Accumulate(values, 2, MPI_INT, to, 0, 1, spread, MPI_SUM, window));
    REFUSED(MPI_Accumulate_c(values, (MPI_Count)1 << 62, MPI_INT, to, 0, (MPI_Count)1 << 62, MPI_INT, MPI_SUM, window));
    REFUSED(MPI_Accumulate(values, -1, MPI_INT, to, 0, -1, MPI_INT, MPI_SUM, window));
    REFUSED(MPI_Accumulate(near_end(4), 2, MPI_INT, to, 0, 2, MPI_INT, MPI_SUM, window));
    REFUSED(MPI_Accumulate(values, 1, MPI_INT, size, 0, 1, MPI_INT, MPI_SUM, window));
    check_part();
    TRY(MPI_Type_free(&back));
    TRY(MPI_Type_free(&spread));
    TRY(MPI_Type_free(&deep));
}

/* Elements that lie on one another, in places that no number has, and in the origin itself. */
static void overlapping(int *values, int *results)
{
    MPI_Datatype same, odd;
    TRY(MPI_Type_create_hvector(8, 1, 0, MPI_INT, &same));
    TRY(MPI_Type_commit(&same));
    TRY(MPI_Type_create_hindexed(3, (int[]){1, 1, 1}, (MPI_Aint[]){1, 7, 14}, MPI_INT, &odd));
    TRY(MPI_Type_commit(&odd));
    epoch(values);
    // What an update of overlapping elements leaves there is nobody's promise: that it stays there is.
    if (embedded()) {
        MPI_Accumulate(values, 8, MPI_INT, to, 0, 1, same, MPI_SUM, window);
        MPI_Get_accumulate(values, 8, MPI_INT, results, 8, MPI_INT, to, 0, 1, same, MPI_PROD, window);
        MPI_Get_accumulate(values, 3, MPI_INT, values, 3, MPI_INT, to, 0, 1, odd, MPI_MAX, window);
        MPI_Accumulate(part.cells, N, MPI_INT, to, 0, N, MPI_INT, MPI_SUM, window);
        MPI_Accumulate(part.cells + 1, N - 1, MPI_INT, to, 0, N - 1, MPI_INT, MPI_BXOR, window);
        MPI_Fetch_and_op(part.cells, part.cells, MPI_INT, to, 0, MPI_SUM, window);
        MPI_Compare_and_swap(part.cells, part.cells, part.cells, MPI_INT, to, 0, window);
    }
    TRY(MPI_Accumulate(values, 3, MPI_INT, to, 0, 1, odd, MPI_MIN, window));
    check_part();
    TRY(MPI_Type_free(&same));
    TRY(MPI_Type_free(&odd));
}

int main(int argc, char **argv)
{
    int values[N], results[N];
    hostile_begin(&argc, &argv);
    to = (rank + 1) % size;
    for (int i = 0; i < 16; i++)
        part.before[i] = part.after[i] = 0x0badcafe;
    TRY(MPI_Win_create(part.cells, sizeof part.cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    kinds(values, results);
    places(values);
    overlapping(values, results);
    // Without an epoch there is nothing to update.
    REFUSED(MPI_Accumulate(values, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, window));
    REFUSED(MPI_Fetch_and_op(values, results, MPI_INT, to, 0, MPI_SUM, window));
    TRY(MPI_Win_free(&window));
    return hostile_end();
}
