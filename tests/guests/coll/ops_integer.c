// Every predefined operation on every integer type of C, on bytes, on bool, and on MPI_AINT, MPI_COUNT and MPI_OFFSET.
// large: yes
#include "ops.h"
#include <stdbool.h>

#define INTEGERS(X) \
    X(MPI_SIGNED_CHAR, signed char) \
    X(MPI_UNSIGNED_CHAR, unsigned char) \
    X(MPI_SHORT, short) \
    X(MPI_UNSIGNED_SHORT, unsigned short) \
    X(MPI_INT, int) \
    X(MPI_UNSIGNED, unsigned) \
    X(MPI_LONG, long) \
    X(MPI_UNSIGNED_LONG, unsigned long) \
    X(MPI_LONG_LONG, long long) \
    X(MPI_UNSIGNED_LONG_LONG, unsigned long long) \
    X(MPI_INT8_T, int8_t) \
    X(MPI_INT16_T, int16_t) \
    X(MPI_INT32_T, int32_t) \
    X(MPI_INT64_T, int64_t) \
    X(MPI_UINT8_T, uint8_t) \
    X(MPI_UINT16_T, uint16_t) \
    X(MPI_UINT32_T, uint32_t) \
    X(MPI_UINT64_T, uint64_t)
#define ADDRESSES(X) \
    X(MPI_AINT, MPI_Aint) \
    X(MPI_COUNT, MPI_Count) \
    X(MPI_OFFSET, MPI_Offset)

INTEGERS(OPS_ARITHMETIC)
INTEGERS(OPS_LOGICAL)
INTEGERS(OPS_BITWISE)
ADDRESSES(OPS_ARITHMETIC)
ADDRESSES(OPS_BITWISE)
OPS_LOGICAL(MPI_C_BOOL, bool)
OPS_BITWISE(MPI_BYTE, unsigned char)

// The sign matters: of an unsigned type the largest value is the one with all bits.
static void extremes(void)
{
    int8_t small = rank == 0 ? -1 : 1, most = 0;
    uint8_t natural = rank == 0 ? 255 : 1, least = 0;
    uint64_t big = rank == size - 1 ? UINT64_MAX : 5, largest = 0;
    int64_t negative = rank == size - 1 ? INT64_MIN : 5, lowest = 0;
    TRY(MPI_Allreduce(&small, &most, 1, MPI_INT8_T, MPI_MAX, MPI_COMM_WORLD));
    CHECK_INT(most, size == 1 ? -1 : 1);
    TRY(MPI_Allreduce(&natural, &least, 1, MPI_UINT8_T, MPI_MIN, MPI_COMM_WORLD));
    CHECK_INT(least, size == 1 ? 255 : 1);
    TRY(MPI_Allreduce(&big, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD));
    CHECK(largest == UINT64_MAX);
    TRY(MPI_Allreduce(&negative, &lowest, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD));
    CHECK(lowest == INT64_MIN);
    // Sums wrap around, silently, and are the same bits for both kinds.
    uint32_t wide = UINT32_MAX, sum = 0;
    TRY(MPI_Allreduce(&wide, &sum, 1, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == (uint32_t)-size);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    INTEGERS(OPS_RUN_ARITHMETIC)
    INTEGERS(OPS_RUN_LOGICAL)
    INTEGERS(OPS_RUN_BITWISE)
    ADDRESSES(OPS_RUN_ARITHMETIC)
    ADDRESSES(OPS_RUN_BITWISE)
    OPS_RUN_LOGICAL(MPI_C_BOOL, bool)
    OPS_RUN_BITWISE(MPI_BYTE, unsigned char)
    extremes();
    return check_end();
}
