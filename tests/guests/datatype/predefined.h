/* The predefined datatypes of C and C++, and those of fixed size of Fortran: handle, name, size, and whether it is
 * there at all. */
#ifndef PREDEFINED_H
#define PREDEFINED_H

#include "../check.h"
#include <stdbool.h>
#include <wchar.h>

typedef struct {
    MPI_Datatype type;
    const char *name;
    int size;
} Predefined;

#define P(type, size) {type, #type, (int)(size)}

static const Predefined predefined[] = {
    P(MPI_CHAR, sizeof(char)),
    P(MPI_SIGNED_CHAR, sizeof(char)),
    P(MPI_UNSIGNED_CHAR, sizeof(char)),
    P(MPI_BYTE, 1),
    P(MPI_PACKED, 1),
    P(MPI_WCHAR, sizeof(wchar_t)),
    P(MPI_SHORT, sizeof(short)),
    P(MPI_UNSIGNED_SHORT, sizeof(short)),
    P(MPI_INT, sizeof(int)),
    P(MPI_UNSIGNED, sizeof(int)),
    P(MPI_LONG, sizeof(long)),
    P(MPI_UNSIGNED_LONG, sizeof(long)),
    P(MPI_LONG_LONG, sizeof(long long)),
    P(MPI_UNSIGNED_LONG_LONG, sizeof(long long)),
    P(MPI_INT8_T, 1),
    P(MPI_INT16_T, 2),
    P(MPI_INT32_T, 4),
    P(MPI_INT64_T, 8),
    P(MPI_UINT8_T, 1),
    P(MPI_UINT16_T, 2),
    P(MPI_UINT32_T, 4),
    P(MPI_UINT64_T, 8),
    P(MPI_C_BOOL, sizeof(bool)),
    P(MPI_FLOAT, sizeof(float)),
    P(MPI_DOUBLE, sizeof(double)),
    P(MPI_LONG_DOUBLE, sizeof(long double)),
    P(MPI_C_FLOAT_COMPLEX, 2 * sizeof(float)),
    P(MPI_C_DOUBLE_COMPLEX, 2 * sizeof(double)),
    P(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double)),
    P(MPI_AINT, sizeof(MPI_Aint)),
    P(MPI_COUNT, sizeof(MPI_Count)),
    P(MPI_OFFSET, sizeof(MPI_Offset)),
    P(MPI_FLOAT_INT, sizeof(float) + sizeof(int)),
    P(MPI_DOUBLE_INT, sizeof(double) + sizeof(int)),
    P(MPI_LONG_INT, sizeof(long) + sizeof(int)),
    P(MPI_SHORT_INT, sizeof(short) + sizeof(int)),
    P(MPI_LONG_DOUBLE_INT, sizeof(long double) + sizeof(int)),
    P(MPI_2INT, 2 * sizeof(int)),
};

enum { PREDEFINED = sizeof predefined / sizeof *predefined };

#endif
