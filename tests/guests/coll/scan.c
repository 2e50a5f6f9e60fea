// MPI_Scan, MPI_Exscan: prefixes in the order of ranks, in place; what rank 0 of an exclusive scan holds is left alone.
// large: yes
#include "../check.h"

enum { LARGEST = 20000 };
static int64_t out[LARGEST], in[LARGEST + 1];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 0; count <= LARGEST; count = count * 26 + 1)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int exclusive = 0; exclusive < 2; exclusive++) {
                memset(in, -1, sizeof in);
                for (int i = 0; i < count; i++)
                    (in_place ? in : out)[i] = (int64_t)(rank + 1) * (i + 2);
                const void *from = in_place ? MPI_IN_PLACE : out;
                if (exclusive)
                    TRY(MPI_Exscan(from, in, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
                else
                    TRY(MPI_Scan(from, in, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
                int64_t n = exclusive ? rank : rank + 1;
                for (int i = 0; i < count; i++)
                    if (n > 0)
                        CHECK_INT(in[i], n * (n + 1) / 2 * (i + 2));
                    else
                        CHECK_INT(in[i], in_place ? i + 2 : -1);
                CHECK_INT(in[count], -1);
            }
    return check_end();
}
