// MPI_MINLOC, MPI_MAXLOC on every pair type: of equal values the lowest index wins.
// large: yes
#include "../check.h"

#define DEFINE(name, mpi, type) \
    static void name(void) \
    { \
        enum { N = 9 }; \
        struct { \
            type value; \
            int index; \
        } out[N], low[N], high[N], prefix[N]; \
        for (int i = 0; i < N; i++) { \
            out[i].value = (type)((rank * 5 + i) % 3); \
            out[i].index = 100 - rank; \
        } \
        TRY(MPI_Allreduce(out, low, N, mpi, MPI_MINLOC, MPI_COMM_WORLD)); \
        TRY(MPI_Allreduce(out, high, N, mpi, MPI_MAXLOC, MPI_COMM_WORLD)); \
        TRY(MPI_Scan(out, prefix, N, mpi, MPI_MAXLOC, MPI_COMM_WORLD)); \
        for (int i = 0; i < N; i++) { \
            type least = (type)(i % 3), most = least, sofar = least; \
            int least_at = 100, most_at = 100, sofar_at = 100; \
            for (int r = 1; r < size; r++) { \
                type value = (type)((r * 5 + i) % 3); \
                int at = 100 - r; \
                if (value < least || (value == least && at < least_at)) \
                    least = value, least_at = at; \
                if (value > most || (value == most && at < most_at)) \
                    most = value, most_at = at; \
                if (r <= rank) \
                    sofar = most, sofar_at = most_at; \
            } \
            CHECK_REAL(low[i].value, least); \
            CHECK_INT(low[i].index, least_at); \
            CHECK_REAL(high[i].value, most); \
            CHECK_INT(high[i].index, most_at); \
            CHECK_REAL(prefix[i].value, sofar); \
            CHECK_INT(prefix[i].index, sofar_at); \
        } \
    }

DEFINE(float_int, MPI_FLOAT_INT, float)
DEFINE(double_int, MPI_DOUBLE_INT, double)
DEFINE(long_int, MPI_LONG_INT, long)
DEFINE(short_int, MPI_SHORT_INT, short)
DEFINE(two_int, MPI_2INT, int)
DEFINE(long_double_int, MPI_LONG_DOUBLE_INT, long double)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    float_int();
    double_int();
    long_int();
    short_int();
    two_int();
    long_double_int();
    // Of Fortran: the index is of the value's type.
    float mine[2] = {(float)rank, (float)(2 * rank)}, best[2];
    TRY(MPI_Allreduce(mine, best, 1, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD));
    CHECK_REAL(best[0], size - 1);
    CHECK_REAL(best[1], 2 * (size - 1));
    int pair[2] = {7, 20 - rank}, least[2];
    TRY(MPI_Allreduce(pair, least, 1, MPI_2INTEGER, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK_INT(least[0], 7);
    CHECK_INT(least[1], 20 - (size - 1));
    double value = 0, got;
    FAILS(MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD), MPI_ERR_OP);
    FAILS(MPI_Allreduce(mine, best, 1, MPI_2INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    return check_end();
}
