// MPI_Sendrecv, MPI_Sendrecv_replace: shifts in both directions, different types on both sides, nobody as a partner.
// large: yes
#include "../check.h"

enum { COUNT = 70000 };
static int out[COUNT], in[COUNT];

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Datatype pair;
    check_begin(&argc, &argv);
    TRY(MPI_Type_contiguous(2, MPI_INT, &pair));
    TRY(MPI_Type_commit(&pair));
    for (int count = 0; count <= COUNT; count = count * 10 + 10) {
        for (int shift = 1 - size; shift < size; shift++) {
            int to = (rank + shift + size) % size, from = (rank - shift + size) % size;
            for (int i = 0; i < count; i++)
                out[i] = rank * 7 + shift + i;
            memset(in, -1, sizeof in);
            TRY(MPI_Sendrecv(out, count, MPI_INT, to, 5, in, count / 2, pair, from, 5, MPI_COMM_WORLD, &status));
            CHECK_STATUS(status, from, 5);
            CHECK_COUNT(status, pair, count / 2);
            for (int i = 0; i < count; i++)
                CHECK_INT(in[i], from * 7 + shift + i);
            TRY(MPI_Sendrecv_replace(out, count, MPI_INT, to, 6, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            CHECK_STATUS(status, from, 6);
            for (int i = 0; i < count; i++)
                CHECK_INT(out[i], from * 7 + shift + i);
        }
    }
    // A line instead of a ring: the ends have nobody.
    int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, left = rank > 0 ? rank - 1 : MPI_PROC_NULL, got = -1;
    TRY(MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status));
    CHECK_INT(got, rank > 0 ? rank - 1 : -1);
    if (left == MPI_PROC_NULL)
        CHECK_EMPTY(status, MPI_PROC_NULL);
    got = rank;
    TRY(MPI_Sendrecv_replace(&got, 1, MPI_INT, left, 1, right, 1, MPI_COMM_WORLD, &status));
    CHECK_INT(got, rank + 1 < size ? rank + 1 : rank);
    TRY(MPI_Type_free(&pair));
    return check_end();
}
