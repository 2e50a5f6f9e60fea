// Communicators until no more can be made, and then everything else that needs one: windows, files, graphs, splits, intercommunicators. Each is
// refused, or there is room for it, and messages go on.
// ranks: 2
// run: --dir {scratch}::/tmp
// exit: 7
// each: 0 1 2 3 4 5 6 7 8 9 10 11 12
// stderr-not: crashed
#include "hostile.h"
#include "../guests/own_number.h"

enum { MOST = 5000 };
static MPI_Comm taken[MOST], half, sides;
static int count;
static char name[64], memory[256];
static MPI_Group all;
static MPI_File file;

/* Takes what there is of contexts. */
static void take(MPI_Comm comm)
{
    for (count = 0; count < MOST && MPI_Comm_dup(comm, &taken[count]) == MPI_SUCCESS; count++)
        ;
}

static void free_comm(MPI_Comm *made, int code)
{
    if (code == MPI_SUCCESS && *made != MPI_COMM_NULL)
        TRY(MPI_Comm_free(made));
}

static void free_window(MPI_Win *made, int code)
{
    if (code == MPI_SUCCESS)
        TRY(MPI_Win_free(made));
}

/* Each needs one, or more than one. */
static void try_one(int which, MPI_Comm of)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win window;
    MPI_File other;
    MPI_Request request;
    void *base;
    int members, none = 0;
    TRY(MPI_Comm_size(of, &members));
    switch (which) {
    case 0: free_window(&window, MPI_Win_create_dynamic(MPI_INFO_NULL, of, &window)); break;
    case 1: free_window(&window, MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, of, &base, &window)); break;
    case 2: free_window(&window, MPI_Win_create(memory, 64, 1, MPI_INFO_NULL, of, &window)); break;
    case 3:
        if (MPI_File_open(of, name, MPI_MODE_RDWR, MPI_INFO_NULL, &other) == MPI_SUCCESS)
            TRY(MPI_File_close(&other));
        break;
    case 4: free_comm(&comm, MPI_Dist_graph_create(of, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm)); break;
    case 5: free_comm(&comm, MPI_Comm_split(of, 0, 0, &comm)); break;
    case 6: free_comm(&comm, MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, &comm)); break;
    case 7: free_comm(&comm, MPI_Comm_create_from_group(all, "used up", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm)); break;
    case 8:
        if (MPI_Comm_idup(of, &comm, &request) == MPI_SUCCESS)
            free_comm(&comm, MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
    case 9:
        // MPICH gives back a context that it has not taken, and ends the job for it.
        if (embedded())
            free_comm(&comm, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !rank, 3, &comm));
        break;
    case 10: free_comm(&comm, MPI_Intercomm_merge(sides, rank, &comm)); break;
    case 11:
        // The pointer that files share needs one of its own: without it MPICH ends the job, in words.
        if (embedded())
            (void)MPI_File_write_shared(file, memory, 8, MPI_BYTE, MPI_STATUS_IGNORE);
        break;
    default: free_comm(&comm, MPI_Comm_dup_with_info(of, MPI_INFO_NULL, &comm));
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    const int way = atoi(argv[1]);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &all));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half));
    TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !rank, 3, &sides));
    snprintf(name, sizeof name, "/tmp/rankine-contexts-%d-%d", size, own_number());
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    // With none left, one, and two.
    take(MPI_COMM_WORLD);
    for (int left = 0; left < 3; left++) {
        try_one(way, MPI_COMM_WORLD);
        try_one(way, MPI_COMM_SELF);
        TRY(MPI_Comm_free(&taken[--count]));
    }
    still_fine();
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
    // MPICH would find that its own contexts are not in order.
    MPI_Abort(MPI_COMM_WORLD, 7);
}
