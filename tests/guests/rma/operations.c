// MPI_Accumulate and MPI_Get_accumulate with every operation on types of every class: what MPI_Reduce_local gives, element by element.
// ranks: 1 3
#include "../check.h"

enum { N = 100, BYTES = N * 16 };

static const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR,
                             MPI_MAXLOC, MPI_MINLOC};
enum { OPS = sizeof ops / sizeof *ops, INTEGERS = 0x3ff, REALS = 0x00f, COMPLEX = 0x003, BITS = 0x070, PAIRS = 0xc00 };

/* A type, the operations that it has, and how an element is made of a number. */
static struct {
    MPI_Datatype type;
    unsigned ops;
    char kind;
} types[] = {
    {MPI_INT8_T, INTEGERS, 'c'}, {MPI_UINT8_T, INTEGERS, 'c'},    {MPI_SHORT, INTEGERS, 's'},    {MPI_UINT16_T, INTEGERS, 's'},
    {MPI_INT, INTEGERS, 'i'},    {MPI_UNSIGNED, INTEGERS, 'i'},   {MPI_INT64_T, INTEGERS, 'l'},  {MPI_UINT64_T, INTEGERS, 'l'},
    {MPI_FLOAT, REALS, 'f'},     {MPI_DOUBLE, REALS, 'd'},        {MPI_C_FLOAT_COMPLEX, COMPLEX, 'F'},
    {MPI_C_DOUBLE_COMPLEX, COMPLEX, 'D'}, {MPI_BYTE, BITS, 'c'},  {MPI_2INT, PAIRS, '2'},        {MPI_DOUBLE_INT, PAIRS, 'p'},
    {MPI_FLOAT_INT, PAIRS, 'q'}, {MPI_SHORT_INT, PAIRS, 't'},
};
enum { TYPES = sizeof types / sizeof *types };

static struct { double d; int i; } *as_double_int;
static struct { float f; int i; } *as_float_int;
static struct { short s; int i; } *as_short_int;

static void fill(char kind, void *at, int seed)
{
    memset(at, 0, BYTES);
    as_double_int = at, as_float_int = at, as_short_int = at;
    for (int i = 0; i < N; i++) {
        int value = (i * 7 + seed * 13) % 11 - 5;
        switch (kind) {
        case 'c': ((int8_t *)at)[i] = value; break;
        case 's': ((short *)at)[i] = value * 300; break;
        case 'i': ((int *)at)[i] = value * 100000; break;
        case 'l': ((int64_t *)at)[i] = value * 10000000000; break;
        case 'f': ((float *)at)[i] = value + 0.5f; break;
        case 'd': ((double *)at)[i] = value + 0.25; break;
        case 'F': ((float *)at)[2 * i] = value, ((float *)at)[2 * i + 1] = seed; break;
        case 'D': ((double *)at)[2 * i] = value, ((double *)at)[2 * i + 1] = seed; break;
        case '2': ((int *)at)[2 * i] = value, ((int *)at)[2 * i + 1] = seed; break;
        case 'p': as_double_int[i].d = value, as_double_int[i].i = seed; break;
        case 'q': as_float_int[i].f = value, as_float_int[i].i = seed; break;
        case 't': as_short_int[i].s = value, as_short_int[i].i = seed; break;
        }
    }
}

static char *window;
static _Alignas(16) char mine[BYTES], theirs[BYTES], before[BYTES], expected[BYTES];
static MPI_Win win;

static void check(int t, MPI_Op op)
{
    MPI_Datatype type = types[t].type;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    fill(types[t].kind, mine, rank);
    fill(types[t].kind, theirs, from);
    TRY(MPI_Win_fence(0, win));
    fill(types[t].kind, window, 7);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(mine, N, type, to, 0, N, type, op, win));
    TRY(MPI_Win_fence(0, win));
    fill(types[t].kind, expected, 7);
    TRY(MPI_Reduce_local(theirs, expected, N, type, op));
    CHECK_BYTES(window, expected, BYTES);
    memset(before, 0, sizeof before);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get_accumulate(mine, N, type, before, N, type, to, 0, N, type, op, win));
    TRY(MPI_Win_fence(0, win));
    /* What was there is what the first one made. */
    fill(types[t].kind, expected, 7);
    TRY(MPI_Reduce_local(mine, expected, N, type, op));
    CHECK_BYTES(before, expected, BYTES);
}

static void replaced_and_looked_at(int t)
{
    MPI_Datatype type = types[t].type;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    fill(types[t].kind, mine, rank);
    memset(window, 0, BYTES);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(mine, N, type, to, 0, N, type, MPI_REPLACE, win));
    TRY(MPI_Win_fence(0, win));
    fill(types[t].kind, expected, from);
    CHECK_BYTES(window, expected, BYTES);
    memset(before, 0, sizeof before);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, before, N, type, to, 0, N, type, MPI_NO_OP, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_BYTES(before, mine, BYTES);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TRY(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    for (int t = 0; t < TYPES; t++) {
        for (int o = 0; o < OPS; o++)
            if (types[t].ops >> o & 1)
                check(t, ops[o]);
        replaced_and_looked_at(t);
    }
    TRY(MPI_Win_free(&win));
    return check_end();
}
