/* One predefined operation on one type: the result of MPI_Allreduce, MPI_Reduce, MPI_Scan and MPI_Reduce_local against
 * a loop in C. */
#ifndef OPS_H
#define OPS_H

#include "../check.h"

enum { OPS_COUNT = 37 };

/* Small values, zeros and ones among them, so that no operation overflows or rounds. */
static int ops_value(int r, int i)
{
    return (r * 3 + i * 5) % 4 + (i % 7 == 0 && r % 2 == 0 ? 0 : 1) * (i % 3 != 0);
}

/* What a check needs to know of an operation on a type: its elements in an array, by their index. */
struct ops_pair {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    void (*put)(void *array, int i, int value);
    double (*get)(const void *array, int i);
    int (*same)(const void *one, const void *other, int i);
    /* `into` becomes `with` op `into`. */
    void (*combine)(void *into, const void *with, int i);
};

/* Room for elements of any type. */
union ops_array {
    char bytes[OPS_COUNT * sizeof(long double)];
    long double aligned;
};

static void ops_compare(const struct ops_pair *p, const char *call, const union ops_array *got, const union ops_array *expected)
{
    for (int i = 0; i < OPS_COUNT; i++)
        if (!p->same(got, expected, i))
            check_fail(__FILE__, __LINE__, p->name, "%s, element %d: expected %g, got %g", call, i, p->get(expected, i), p->get(got, i));
}

static void ops_check(const struct ops_pair *p)
{
    union ops_array out, in = {{0}}, all, prefix, next;
    for (int i = 0; i < OPS_COUNT; i++) {
        p->put(&out, i, ops_value(rank, i));
        p->put(&all, i, ops_value(0, i));
        p->put(&prefix, i, ops_value(0, i));
        for (int r = 1; r < size; r++) {
            p->put(&next, i, ops_value(r, i));
            p->combine(&all, &next, i);
            if (r <= rank)
                p->combine(&prefix, &next, i);
        }
    }
    check_call(__FILE__, __LINE__, p->name, MPI_Allreduce(&out, &in, OPS_COUNT, p->type, p->op, MPI_COMM_WORLD));
    ops_compare(p, "MPI_Allreduce", &in, &all);
    memset(&in, 0, sizeof in);
    check_call(__FILE__, __LINE__, p->name, MPI_Reduce(&out, &in, OPS_COUNT, p->type, p->op, size - 1, MPI_COMM_WORLD));
    if (rank == size - 1)
        ops_compare(p, "MPI_Reduce", &in, &all);
    check_call(__FILE__, __LINE__, p->name, MPI_Scan(&out, &in, OPS_COUNT, p->type, p->op, MPI_COMM_WORLD));
    ops_compare(p, "MPI_Scan", &in, &prefix);
    for (int i = 0; i < OPS_COUNT; i++)
        p->combine(&prefix, &out, i);
    check_call(__FILE__, __LINE__, p->name, MPI_Reduce_local(&out, &in, OPS_COUNT, p->type, p->op));
    ops_compare(p, "MPI_Reduce_local", &in, &prefix);
}

/* Defines a function that checks `operation` on the MPI type `mpi`, whose values are `value_type` in C; `a` and `b` in
 * `formula` are the operands. */
#define OPS_DEFINE(name_, mpi, value_type, operation, formula) \
    static void name_##_put(void *array, int i, int value) { ((value_type *)array)[i] = (value_type)value; } \
    static double name_##_get(const void *array, int i) { return (double)((const value_type *)array)[i]; } \
    static int name_##_same(const void *one, const void *other, int i) \
    { \
        return ((const value_type *)one)[i] == ((const value_type *)other)[i]; \
    } \
    static void name_##_combine(void *into, const void *with, int i) \
    { \
        value_type a = ((const value_type *)with)[i], b = ((value_type *)into)[i]; \
        ((value_type *)into)[i] = (value_type)(formula); \
    } \
    static void name_(void) \
    { \
        const struct ops_pair pair = {#name_, mpi, operation, name_##_put, name_##_get, name_##_same, name_##_combine}; \
        ops_check(&pair); \
    }

#define OPS_ARITHMETIC(mpi, type) \
    OPS_DEFINE(max_##mpi, mpi, type, MPI_MAX, a > b ? a : b) \
    OPS_DEFINE(min_##mpi, mpi, type, MPI_MIN, a < b ? a : b) \
    OPS_DEFINE(sum_##mpi, mpi, type, MPI_SUM, a + b) \
    OPS_DEFINE(prod_##mpi, mpi, type, MPI_PROD, a *b)
#define OPS_LOGICAL(mpi, type) \
    OPS_DEFINE(land_##mpi, mpi, type, MPI_LAND, a && b) \
    OPS_DEFINE(lor_##mpi, mpi, type, MPI_LOR, a || b) \
    OPS_DEFINE(lxor_##mpi, mpi, type, MPI_LXOR, !a != !b)
#define OPS_BITWISE(mpi, type) \
    OPS_DEFINE(band_##mpi, mpi, type, MPI_BAND, a &b) \
    OPS_DEFINE(bor_##mpi, mpi, type, MPI_BOR, a | b) \
    OPS_DEFINE(bxor_##mpi, mpi, type, MPI_BXOR, a ^ b)

#define OPS_RUN_ARITHMETIC(mpi, type) max_##mpi(), min_##mpi(), sum_##mpi(), prod_##mpi();
#define OPS_RUN_LOGICAL(mpi, type) land_##mpi(), lor_##mpi(), lxor_##mpi();
#define OPS_RUN_BITWISE(mpi, type) band_##mpi(), bor_##mpi(), bxor_##mpi();

#endif
