// Ranks that name different groups for one communicator, or make different grids of one: all that can know of it get an error.
// ranks: 3 4
// engines: local
#include "hostile.h"

int main(int argc, char **argv)
{
    MPI_Group world, all, pair, swapped;
    MPI_Comm made, grid, part;
    MPI_Session session;
    int ones[2] = {1, 1}, zeros[2] = {0, 0};
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 3, (int[]){0, 1, 2}, &all));
    TRY(MPI_Group_incl(world, 2, (int[]){0, 1}, &pair));
    TRY(MPI_Group_incl(world, 3, (int[]){0, 2, 1}, &swapped));
    MPI_Group mine[] = {pair, all, swapped};

    // Overlapping, and the same ranks in another order.
    for (int odd = 0; odd < 3; odd++) {
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, rank == odd ? swapped : all, &made), MPI_ERR_NOT_SAME);
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, rank == odd ? all : swapped, &made), MPI_ERR_NOT_SAME);
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, mine[(rank + odd) % 3], &made), MPI_ERR_NOT_SAME);
    }
    TRY(MPI_Comm_create(MPI_COMM_WORLD, all, &made));
    if (made != MPI_COMM_NULL)
        TRY(MPI_Comm_free(&made));

    // Here rank 0 alone speaks, so that it does not hear of the others.
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    for (int odd = 1; odd < 3 && rank < 3; odd++) {
        int code = MPI_Comm_create_group(MPI_COMM_WORLD, rank == odd ? swapped : all, odd, &made);
        FAILS(code, rank == odd ? MPI_ERR_NOT_SAME : MPI_SUCCESS);
        code = MPI_Comm_create_from_group(rank == odd ? swapped : all, "odd", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
        FAILS(code, rank == odd ? MPI_ERR_NOT_SAME : MPI_SUCCESS);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));

    FAILS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){rank == 0 ? 2 : 3}, zeros, 0, &grid), MPI_ERR_NOT_SAME);
    FAILS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){rank == 1 ? 2 : 3}, zeros, 0, &grid), MPI_ERR_NOT_SAME);
    FAILS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){3}, rank == 1 ? ones : zeros, 0, &grid), MPI_ERR_NOT_SAME);
    FAILS(MPI_Cart_create(MPI_COMM_WORLD, rank == 2 ? 1 : 2, (int[]){3, 1}, zeros, 0, &grid), MPI_ERR_NOT_SAME);
    FAILS(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){rank == 0 ? 0 : 1, 0}, 0, &grid), MPI_ERR_NOT_SAME);
    if (rank == 0)
        FAILS(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &grid), MPI_ERR_NOT_SAME);
    else
        FAILS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, zeros, 0, &grid), MPI_ERR_NOT_SAME);
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){3, 1}, zeros, 0, &grid));
    if (grid != MPI_COMM_NULL) {
        FAILS(MPI_Cart_sub(grid, (int[]){rank == 0, 1}, &part), MPI_ERR_NOT_SAME);
        FAILS(MPI_Cart_sub(grid, (int[]){rank != 2, 0}, &part), MPI_ERR_NOT_SAME);
        TRY(MPI_Cart_sub(grid, (int[]){1, 0}, &part));
        TRY(MPI_Comm_free(&part));
        TRY(MPI_Comm_free(&grid));
    }
    TRY(MPI_Session_finalize(&session));
    return hostile_end();
}
