// MPI_Reduce_local: no communication, the inout operand comes second.
// ranks: 1 2
// large: yes
#include "../check.h"

static void minus(void *in, void *inout, count_t *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (count_t i = 0; i < *count; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

int main(int argc, char **argv)
{
    int in[4] = {1, 2, 3, 4}, inout[4] = {10, 20, 30, 40};
    MPI_Op op;
    check_begin(&argc, &argv);
    TRY(MPI_Reduce_local(in, inout, 3, MPI_INT, MPI_SUM));
    CHECK_INT(inout[0], 11);
    CHECK_INT(inout[2], 33);
    CHECK_INT(inout[3], 40);
    TRY(MPI_Reduce_local(in, inout, 0, MPI_INT, MPI_SUM));
    CHECK_INT(inout[0], 11);
    TRY(MPI_Op_create(minus, 0, &op));
    TRY(MPI_Reduce_local(in, inout, 4, MPI_INT, op));
    CHECK_INT(inout[0], 1 - 11);
    CHECK_INT(inout[3], 4 - 40);
    TRY(MPI_Op_free(&op));
    return check_end();
}
