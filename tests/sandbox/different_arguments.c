// Ranks that call one collective with arguments that don't fit together: those who can know of it get an error, nobody reads or writes where it
// must not, and the next collective is right.
// ranks: 3 4
// engines: local
#include "hostile.h"

enum { ROOM = 64 };
static int in[ROOM + ROOM], out[ROOM + ROOM];

/* Nothing was written beyond what the rank itself had asked for. */
static void check_room(int room)
{
    for (int i = room; i < 2 * ROOM; i++)
        CHECK_INT(out[i], -7);
}

static void begin(void)
{
    for (int i = 0; i < 2 * ROOM; i++) {
        in[i] = rank;
        out[i] = -7;
    }
}

/* All go on together, whatever the last one made of it. */
static void together(MPI_Comm comm)
{
    int sum = 0, one = 1, members;
    TRY(MPI_Comm_size(comm, &members));
    TRY(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(sum, members);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, made, other;
    MPI_Group world, some;
    int code;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    const int last = rank == size - 1;

    // Longer from one rank than others have room for.
    for (int longer = 2; longer <= ROOM; longer *= 2) {
        begin();
        code = MPI_Bcast(rank == 0 ? in : out, rank == 0 ? longer : 1, MPI_INT, 0, comm);
        FAILS(code, rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
        check_room(1);
        together(comm);
    }
    begin();
    code = MPI_Gather(in, last ? 9 : 3, MPI_INT, out, 3, MPI_INT, 0, comm);
    FAILS(code, rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    check_room(3 * size);
    together(comm);
    begin();
    code = MPI_Scatter(in, 9, MPI_INT, out, last ? 3 : 9, MPI_INT, 0, comm);
    FAILS(code, last ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    check_room(9);
    together(comm);
    // Longer from all of them.
    begin();
    FAILS(MPI_Allgather(in, 9, MPI_INT, out, 3, MPI_INT, comm), MPI_ERR_TRUNCATE);
    check_room(3 * size);
    together(comm);
    begin();
    FAILS(MPI_Alltoall(in, 9, MPI_INT, out, 3, MPI_INT, comm), MPI_ERR_TRUNCATE);
    check_room(3 * size);
    together(comm);
    // Types and operations of one length that are not the same.
    begin();
    TRY(MPI_Allreduce(in, out, last ? 4 : 8, last ? MPI_DOUBLE : MPI_INT, last ? MPI_MAX : MPI_BAND, comm));
    check_room(8);
    together(comm);
    begin();
    TRY(MPI_Bcast(last ? out : in, last ? 4 : 1, last ? MPI_BYTE : MPI_INT, 0, comm));
    check_room(1);
    together(comm);

    // Neighbours that don't know of each other: what one side says is what it gets.
    int me = rank, first = 0;
    TRY(MPI_Dist_graph_create_adjacent(comm, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    begin();
    TRY(MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, made));
    CHECK_INT(out[1], rank);
    check_room(2);
    FAILS(MPI_Neighbor_allgather(in, 3, MPI_INT, out, 2, MPI_INT, made), MPI_ERR_TRUNCATE);
    check_room(2);
    TRY(MPI_Comm_free(&made));

    // Groups, leaders and sides of an intercommunicator.
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 1, &first, &some));
    FAILS(MPI_Comm_create(comm, last ? some : world, &made), MPI_ERR_NOT_SAME);
    together(comm);
    FAILS(MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, size, 0, &other), rank == 0 ? MPI_ERR_RANK : MPI_ERR_COMM);
    together(comm);
    REFUSED(MPI_Intercomm_create(comm, size, MPI_COMM_WORLD, 0, 0, &other));
    REFUSED(MPI_Intercomm_create(comm, -1, MPI_COMM_WORLD, 0, 0, &other));
    together(comm);
    TRY(MPI_Comm_split(comm, rank == 0, 0, &made));
    TRY(MPI_Intercomm_create(made, 0, MPI_COMM_WORLD, rank == 0, 0, &other));
    TRY(MPI_Comm_free(&made));
    // Both sides low, both sides high, and sides that don't agree with themselves.
    for (int way = 0; way < 3; way++) {
        code = MPI_Intercomm_merge(other, way == 2 ? rank % 2 : way, &made);
        if (code == MPI_SUCCESS) {
            together(made);
            TRY(MPI_Comm_free(&made));
        } else
            FAILS(code, MPI_ERR_NOT_SAME);
    }
    FAILS(MPI_Comm_create(other, last ? some : world, &made), MPI_ERR_GROUP);
    TRY(MPI_Barrier(other));
    TRY(MPI_Comm_free(&other));
    TRY(MPI_Group_free(&some));
    TRY(MPI_Group_free(&world));
    TRY(MPI_Comm_free(&comm));
    return hostile_end();
}
