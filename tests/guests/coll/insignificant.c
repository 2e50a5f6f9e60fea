// Arguments that say nothing are not looked at: those of the root elsewhere, and all of a rank that passes MPI_PROC_NULL beside the root.
// ranks: 2 3 4
// large: yes
#include "../check.h"
#include "../large.h"

// What no call could use.
#define NOWHERE ((void *)0xfffffff0)
#define NO_TYPE MPI_DATATYPE_NULL
#define NO_COUNT (-7)

static void inside(int root)
{
    int mine = rank + 1, all[4] = {0}, sum = 0;
    count_t ones[4] = {1, 1, 1, 1};
    displ_t places[4] = {0, 1, 2, 3}, bytes[4] = {0, 4, 8, 12};
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    int is_root = rank == root;
    void *bad = NOWHERE;
    if (is_root)
        TRY(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD));
    else
        TRY(MPI_Gather(&mine, 1, MPI_INT, bad, NO_COUNT, NO_TYPE, root, MPI_COMM_WORLD));
    for (int r = 0; is_root && r < size; r++)
        CHECK_INT(all[r], r + 1);
    memset(all, 0, sizeof all);
    if (is_root)
        TRY(MPI_Gatherv(&mine, 1, MPI_INT, all, ones, places, MPI_INT, root, MPI_COMM_WORLD));
    else
        TRY(MPI_Gatherv(&mine, 1, MPI_INT, bad, bad, bad, NO_TYPE, root, MPI_COMM_WORLD));
    for (int r = 0; is_root && r < size; r++)
        CHECK_INT(all[r], r + 1);
    mine = 0;
    if (is_root)
        TRY(MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, root, MPI_COMM_WORLD));
    else
        TRY(MPI_Scatter(bad, NO_COUNT, NO_TYPE, &mine, 1, MPI_INT, root, MPI_COMM_WORLD));
    CHECK_INT(mine, rank + 1);
    mine = 0;
    if (is_root)
        TRY(MPI_Scatterv(all, ones, places, MPI_INT, &mine, 1, MPI_INT, root, MPI_COMM_WORLD));
    else
        TRY(MPI_Scatterv(bad, bad, bad, NO_TYPE, &mine, 1, MPI_INT, root, MPI_COMM_WORLD));
    CHECK_INT(mine, rank + 1);
    TRY(MPI_Reduce(&mine, is_root ? &sum : bad, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    if (is_root)
        CHECK_INT(sum, size * (size + 1) / 2);
    // In place: what would describe the operand says nothing.
    all[root] = root + 1;
    if (is_root)
        TRY(MPI_Gather(MPI_IN_PLACE, NO_COUNT, NO_TYPE, all, 1, MPI_INT, root, MPI_COMM_WORLD));
    else
        TRY(MPI_Gather(&mine, 1, MPI_INT, bad, NO_COUNT, NO_TYPE, root, MPI_COMM_WORLD));
    if (is_root)
        TRY(MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, NO_COUNT, NO_TYPE, root, MPI_COMM_WORLD));
    else
        TRY(MPI_Scatter(bad, NO_COUNT, NO_TYPE, &mine, 1, MPI_INT, root, MPI_COMM_WORLD));
    CHECK_INT(mine, rank + 1);
    for (int r = 0; r < size; r++)
        all[r] = r == rank ? rank + 1 : 0;
    TRY(MPI_Allgather(MPI_IN_PLACE, NO_COUNT, NO_TYPE, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_INT(all[r], r + 1);
    for (int r = 0; r < size; r++)
        all[r] = r == rank ? rank + 1 : 0;
    TRY(MPI_Allgatherv(MPI_IN_PLACE, NO_COUNT, NO_TYPE, all, ones, places, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_INT(all[r], r + 1);
    TRY(MPI_Alltoall(MPI_IN_PLACE, NO_COUNT, NO_TYPE, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_INT(all[r], rank + 1);
    TRY(MPI_Alltoallv(MPI_IN_PLACE, bad, bad, NO_TYPE, all, ones, places, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_INT(all[r], r + 1);
    TRY(MPI_Alltoallw(MPI_IN_PLACE, bad, bad, bad, all, ones, bytes, types, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_INT(all[r], rank + 1);
}

// The root is the first rank of the group that ends with the last but one; the last rank is alone in the other one.
static void between(void)
{
    int far = rank == size - 1, root = rank == 0 ? MPI_ROOT : far ? 0 : MPI_PROC_NULL;
    int mine = far ? 5 : 0, got = 0;
    int says_nothing = root == MPI_PROC_NULL;
    void *bad = NOWHERE;
    count_t one[1] = {1};
    displ_t place[1] = {0};
    MPI_Comm half, inter;
    MPI_Request request;
    TRY(MPI_Comm_split(MPI_COMM_WORLD, far, rank, &half));
    // Only the leaders know the other one.
    if (says_nothing)
        TRY(MPI_Intercomm_create(half, 0, MPI_COMM_NULL, -7, 5, &inter));
    else
        TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, far ? 0 : size - 1, 5, &inter));
    TRY(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    if (says_nothing) {
        TRY(MPI_Reduce(bad, bad, 0, NO_TYPE, MPI_OP_NULL, root, inter));
        TRY(MPI_Reduce(bad, bad, 0, MPI_BYTE, MPI_SUM, root, inter));
        TRY(MPI_Ireduce(bad, bad, 0, NO_TYPE, MPI_OP_NULL, root, inter, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        TRY(MPI_Bcast(bad, 0, NO_TYPE, root, inter));
        TRY(MPI_Gather(bad, NO_COUNT, NO_TYPE, bad, NO_COUNT, NO_TYPE, root, inter));
        TRY(MPI_Gatherv(bad, NO_COUNT, NO_TYPE, bad, bad, bad, NO_TYPE, root, inter));
        TRY(MPI_Scatter(bad, NO_COUNT, NO_TYPE, bad, NO_COUNT, NO_TYPE, root, inter));
        TRY(MPI_Scatterv(bad, bad, bad, NO_TYPE, bad, NO_COUNT, NO_TYPE, root, inter));
    } else {
        TRY(MPI_Reduce(far ? &mine : bad, far ? bad : &got, 1, MPI_INT, MPI_SUM, root, inter));
        CHECK_INT(got, far ? 0 : 5);
        TRY(MPI_Reduce(far ? &mine : bad, far ? bad : &got, 1, MPI_INT, MPI_SUM, root, inter));
        TRY(MPI_Ireduce(far ? &mine : bad, far ? bad : &got, 1, MPI_INT, MPI_MAX, root, inter, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        TRY(MPI_Bcast(far ? &mine : &got, 1, MPI_INT, root, inter));
        CHECK_INT(far ? mine : got, 5);
        got = 0;
        if (far) {
            TRY(MPI_Gather(&mine, 1, MPI_INT, bad, NO_COUNT, NO_TYPE, root, inter));
            TRY(MPI_Gatherv(&mine, 1, MPI_INT, bad, bad, bad, NO_TYPE, root, inter));
            TRY(MPI_Scatter(bad, NO_COUNT, NO_TYPE, &mine, 1, MPI_INT, root, inter));
            CHECK_INT(mine, 6);
            TRY(MPI_Scatterv(bad, bad, bad, NO_TYPE, &mine, 1, MPI_INT, root, inter));
        } else {
            TRY(MPI_Gather(bad, NO_COUNT, NO_TYPE, &got, 1, MPI_INT, root, inter));
            TRY(MPI_Gatherv(bad, NO_COUNT, NO_TYPE, &got, one, place, MPI_INT, root, inter));
            CHECK_INT(got, 5);
            got = 6;
            TRY(MPI_Scatter(&got, 1, MPI_INT, bad, NO_COUNT, NO_TYPE, root, inter));
            TRY(MPI_Scatterv(&got, one, place, MPI_INT, bad, NO_COUNT, NO_TYPE, root, inter));
        }
    }
    TRY(MPI_Comm_free(&inter));
    TRY(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int root = 0; root < size; root++)
        inside(root);
    between();
    return check_end();
}
