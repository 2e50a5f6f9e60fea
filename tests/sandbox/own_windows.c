// Accesses of a rank to its own part of a window, between bytes that overlap: MPICH would end the job.
// ranks: 1 2
// engines: mpi
#include "hostile.h"

enum { COUNT = 3000 };
static char room[4 * COUNT];

static void access(MPI_Win win, MPI_Aint start)
{
    MPI_Request request;
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, win));
    FAILS(MPI_Put(room, COUNT, MPI_CHAR, rank, start + 1, COUNT, MPI_CHAR, win), MPI_ERR_BUFFER);
    FAILS(MPI_Put(room + 1, COUNT, MPI_CHAR, rank, start, COUNT, MPI_CHAR, win), MPI_ERR_BUFFER);
    FAILS(MPI_Put(room, COUNT, MPI_CHAR, rank, start, COUNT, MPI_CHAR, win), MPI_ERR_BUFFER);
    FAILS(MPI_Put_c(room, 4, MPI_INT, rank, start + 15, 16, MPI_CHAR, win), MPI_ERR_BUFFER);
    FAILS(MPI_Get(room + COUNT - 1, COUNT, MPI_CHAR, rank, start, COUNT, MPI_CHAR, win), MPI_ERR_BUFFER);
    FAILS(MPI_Get_c(room, COUNT, MPI_CHAR, rank, start + 7, COUNT, MPI_CHAR, win), MPI_ERR_BUFFER);
    FAILS(MPI_Rput(room, COUNT, MPI_CHAR, rank, start + 1, COUNT, MPI_CHAR, win, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Rget(room, COUNT, MPI_CHAR, rank, start + 1, COUNT, MPI_CHAR, win, &request), MPI_ERR_BUFFER);
    // Side by side is no harm, nor is the same place of another rank.
    room[0] = 'x';
    TRY(MPI_Put(room, COUNT, MPI_CHAR, rank, start + COUNT, COUNT, MPI_CHAR, win));
    TRY(MPI_Win_flush(rank, win));
    CHECK_INT(room[COUNT], 'x');
    TRY(MPI_Rget(room + 2 * COUNT, COUNT, MPI_CHAR, rank, start + COUNT, COUNT, MPI_CHAR, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(room[2 * COUNT], 'x');
    if (size > 1)
        TRY(MPI_Put(room, 8, MPI_CHAR, (rank + 1) % size, start, 8, MPI_CHAR, win));
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Aint start;
    hostile_begin(&argc, &argv);
    TRY(MPI_Win_create(room, sizeof room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    access(win, 0);
    TRY(MPI_Get_address(room, &start));
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_attach(win, room, sizeof room));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    access(win, start);
    return hostile_end();
}
