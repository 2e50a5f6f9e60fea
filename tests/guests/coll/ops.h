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

/* Defines a function that checks `op` on the MPI type `mpi`, whose values are `type` in C; `a` and `b` in `formula` are
 * the operands. */
#define OPS_DEFINE(name, mpi, type, op, formula) \
    static void name(void) \
    { \
        type out[OPS_COUNT], in[OPS_COUNT], expected[OPS_COUNT], prefix[OPS_COUNT]; \
        for (int i = 0; i < OPS_COUNT; i++) { \
            type a, b = (type)ops_value(0, i); \
            out[i] = (type)ops_value(rank, i); \
            prefix[i] = b; \
            for (int r = 1; r < size; r++) { \
                a = b; \
                b = (type)ops_value(r, i); \
                b = (type)(formula); \
                if (r == rank) \
                    prefix[i] = b; \
            } \
            expected[i] = b; \
        } \
        memset(in, 0, sizeof in); \
        check_call(__FILE__, __LINE__, "Allreduce " #mpi " " #op, MPI_Allreduce(out, in, OPS_COUNT, mpi, op, MPI_COMM_WORLD)); \
        for (int i = 0; i < OPS_COUNT; i++) \
            if (!(in[i] == expected[i])) \
                check_fail(__FILE__, __LINE__, #mpi " " #op, "element %d: expected %g, got %g", i, (double)expected[i], (double)in[i]); \
        memset(in, 0, sizeof in); \
        check_call(__FILE__, __LINE__, "Reduce " #mpi " " #op, MPI_Reduce(out, in, OPS_COUNT, mpi, op, size - 1, MPI_COMM_WORLD)); \
        for (int i = 0; i < OPS_COUNT && rank == size - 1; i++) \
            if (!(in[i] == expected[i])) \
                check_fail(__FILE__, __LINE__, #mpi " " #op " to the root", "element %d: expected %g, got %g", i, (double)expected[i], (double)in[i]); \
        check_call(__FILE__, __LINE__, "Scan " #mpi " " #op, MPI_Scan(out, in, OPS_COUNT, mpi, op, MPI_COMM_WORLD)); \
        for (int i = 0; i < OPS_COUNT; i++) \
            if (!(in[i] == prefix[i])) \
                check_fail(__FILE__, __LINE__, #mpi " " #op " scanned", "element %d: expected %g, got %g", i, (double)prefix[i], (double)in[i]); \
        for (int i = 0; i < OPS_COUNT; i++) { \
            type a = out[i], b = in[i]; \
            expected[i] = (type)(formula); \
        } \
        check_call(__FILE__, __LINE__, "Reduce_local " #mpi " " #op, MPI_Reduce_local(out, in, OPS_COUNT, mpi, op)); \
        for (int i = 0; i < OPS_COUNT; i++) \
            if (!(in[i] == expected[i])) \
                check_fail(__FILE__, __LINE__, #mpi " " #op " alone", "element %d: expected %g, got %g", i, (double)expected[i], (double)in[i]); \
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
