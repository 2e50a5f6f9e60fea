// Every predefined datatype: size, extent, name, envelope; a message and a pack of each.
// large: yes
#include "predefined.h"

typedef struct { float value; int index; } FloatInt;
typedef struct { double value; int index; } DoubleInt;
typedef struct { long value; int index; } LongInt;
typedef struct { short value; int index; } ShortInt;
typedef struct { long double value; int index; } LongDoubleInt;

static long extent_of(int i)
{
    MPI_Datatype type = predefined[i].type;
    return type == MPI_FLOAT_INT         ? (long)sizeof(FloatInt)
           : type == MPI_DOUBLE_INT      ? (long)sizeof(DoubleInt)
           : type == MPI_LONG_INT        ? (long)sizeof(LongInt)
           : type == MPI_SHORT_INT       ? (long)sizeof(ShortInt)
           : type == MPI_LONG_DOUBLE_INT ? (long)sizeof(LongDoubleInt)
                                         : predefined[i].size;
}

int main(int argc, char **argv)
{
    enum { N = 5 };
    char out[N * 64], in[N * 64], packed[N * 64], name[MPI_MAX_OBJECT_NAME];
    int length;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < PREDEFINED; i++) {
        const Predefined *p = &predefined[i];
        count_t bytes = -1, position = 0;
        aint_t lb = -1, extent = -1;
        MPI_Status status;
        TRY(MPI_Type_get_name(p->type, name, &length));
        // Of two names of the same type one is as good as the other.
        const char *other = p->type == MPI_LONG_LONG ? "MPI_LONG_LONG_INT" : p->type == MPI_C_COMPLEX ? "MPI_C_COMPLEX" : p->name;
        if (strcmp(name, other) != 0)
            CHECK_STR(name, p->name);
        CHECK_INT(length, strlen(name));
        TRY(MPI_Type_size(p->type, &bytes));
        if (bytes != p->size)
            check_fail(__FILE__, __LINE__, p->name, "size: expected %d, got %d", p->size, (int)bytes);
        TRY(MPI_Type_get_extent(p->type, &lb, &extent));
        if (lb != 0 || extent != extent_of(i))
            check_fail(__FILE__, __LINE__, p->name, "extent: expected 0 and %ld, got %ld and %ld", extent_of(i), (long)lb, (long)extent);
        for (size_t b = 0; b < sizeof out; b++)
            out[b] = (char)(b + 1 + i);
        memset(in, 0, sizeof in);
        memset(packed, 0, sizeof packed);
        TRY(MPI_Sendrecv(out, N, p->type, next, i, in, N, p->type, before, i, MPI_COMM_WORLD, &status));
        CHECK_STATUS(status, before, i);
        CHECK_COUNT(status, p->type, N);
        // Packed, what arrived is what was sent: holes in a pair may differ.
        char expected[N * 64] = {0};
        TRY(MPI_Pack(in, N, p->type, packed, sizeof packed, &position, MPI_COMM_WORLD));
        CHECK_INT(position, N * p->size);
        position = 0;
        TRY(MPI_Pack(out, N, p->type, expected, sizeof expected, &position, MPI_COMM_WORLD));
        CHECK_BYTES(packed, expected, N * p->size);
    }
    return check_end();
}
