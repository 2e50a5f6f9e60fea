// Over an MPI library too: ranks that name different groups for one communicator hear of it, all of them, and go on without one.
// ranks: 3 4
// engines: mpi
// native: no (MPICH crashes)
#include "variations.h"

static MPI_Group world, all, pair, swapped, none;
static MPI_Comm made;

static void all_hear(void)
{
    MPI_Group mine[] = {pair, all, swapped};
    for (int odd = 0; odd < 3; odd++) {
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, rank == odd ? swapped : all, &made), MPI_ERR_NOT_SAME);
        CHECK(made == MPI_COMM_NULL);
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, rank == odd ? all : swapped, &made), MPI_ERR_NOT_SAME);
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, mine[(rank + odd) % 3], &made), MPI_ERR_NOT_SAME);
        FAILS(MPI_Comm_create(MPI_COMM_WORLD, rank == odd ? none : all, &made), MPI_ERR_NOT_SAME);
    }
}

/* Groups that differ and have nothing in common are as good as one. */
static void apart(void)
{
    MPI_Group mine;
    int members;
    TRY(MPI_Group_incl(world, 1, &rank, &mine));
    TRY(MPI_Comm_create(MPI_COMM_WORLD, mine, &made));
    TRY(MPI_Comm_size(made, &members));
    CHECK_INT(members, 1);
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Group_free(&mine));
    TRY(MPI_Comm_create(MPI_COMM_WORLD, rank < 2 ? pair : none, &made));
    CHECK((made == MPI_COMM_NULL) == (rank >= 2));
    if (rank < 2)
        TRY(MPI_Comm_free(&made));
}

/* Those who agree are asked, too, when the communicator has been made of the members alone. */
static void of_members(void)
{
    if (rank < 3) {
        TRY(MPI_Comm_create_group(MPI_COMM_WORLD, swapped, 6, &made));
        TRY(MPI_Barrier(made));
        TRY(MPI_Comm_free(&made));
        TRY(MPI_Comm_create_from_group(swapped, "in order", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
        TRY(MPI_Barrier(made));
        TRY(MPI_Comm_free(&made));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    static const struct variation variations[] = {{"all hear", all_hear}, {"apart", apart}, {"of members", of_members}};
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 3, (int[]){0, 1, 2}, &all));
    TRY(MPI_Group_incl(world, 2, (int[]){0, 1}, &pair));
    TRY(MPI_Group_incl(world, 3, (int[]){0, 2, 1}, &swapped));
    none = MPI_GROUP_EMPTY;
    return VARIATIONS(variations);
}
