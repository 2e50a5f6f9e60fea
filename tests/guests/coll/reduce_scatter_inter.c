// MPI_Reduce_scatter between two groups of different sizes: each group has the operands of the other's results, and as many
// receive counts as it has members itself.
// ranks: 2 3 4 7
// large: yes
#include "../check.h"

enum { TOTAL = 60 };

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int left = rank == 0, members, others;
    MPI_Comm mine, inter;
    TRY(MPI_Comm_split(MPI_COMM_WORLD, left, rank, &mine));
    TRY(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, left ? 1 : 0, 5, &inter));
    MPI_Comm_size(inter, &members);
    MPI_Comm_remote_size(inter, &others);
    count_t counts[8];
    int out[TOTAL], in[TOTAL], me, start;
    MPI_Comm_rank(inter, &me);
    for (int r = 0; r < members; r++)
        counts[r] = TOTAL / members;
    start = me * (TOTAL / members);
    for (int i = 0; i < TOTAL; i++)
        out[i] = (left ? 1000 : 1) * i;
    TRY(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < TOTAL / members; i++)
        CHECK_INT(in[i], others * (left ? 1 : 1000) * (start + i));
    TRY(MPI_Reduce_scatter_block(out, in, TOTAL / members, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < TOTAL / members; i++)
        CHECK_INT(in[i], others * (left ? 1 : 1000) * (start + i));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&mine);
    return check_end();
}
