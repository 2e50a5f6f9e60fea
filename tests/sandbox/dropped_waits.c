// Each rank waits in another call when the last one traps: all are taken out of their calls, and nothing is left of any.
// engines: local
// ranks: 18
// exit: 134
// stderr: rank 17 trapped
// stderr: unreachable
// stderr-not: panicked
// stderr-not: deadlock
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"
#include <time.h>

static int cells[64], got;

static void wait_in(int way, MPI_Comm world, MPI_Win window, const MPI_File *files, const char *port, MPI_Comm pairs)
{
    static const int big = 1 << 18;
    char *bytes = calloc(big, 1);
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Comm made;
    MPI_Info info;
    const int last = size - 1;
    int index, counts[2];
    switch (way) {
    case 0: TRY(MPI_Recv(&got, 1, MPI_INT, last, 1, world, MPI_STATUS_IGNORE)); break;
    case 1: TRY(MPI_Probe(last, 2, world, MPI_STATUS_IGNORE)); break;
    case 2: TRY(MPI_Mprobe(last, 3, world, &message, MPI_STATUS_IGNORE)); break;
    case 3: TRY(MPI_Ssend(bytes, big, MPI_BYTE, last, 4, world)); break;
    case 4:
        TRY(MPI_Irecv(bytes, 1, MPI_BYTE, last, 5, world, &requests[0]));
        TRY(MPI_Isend(bytes, big, MPI_BYTE, last, 6, world, &requests[1]));
        TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        break;
    case 5:
        TRY(MPI_Precv_init(bytes, 4, 16, MPI_BYTE, last, 7, world, MPI_INFO_NULL, &requests[0]));
        TRY(MPI_Start(&requests[0]));
        TRY(MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE));
        break;
    case 6: TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window)); break;
    case 7: TRY(MPI_File_write_all(files[0], bytes, big, MPI_BYTE, MPI_STATUS_IGNORE)); break;
    case 8: TRY(MPI_File_read_ordered(files[1], bytes, big, MPI_BYTE, MPI_STATUS_IGNORE)); break;
    case 9: TRY(MPI_File_sync(files[2])); break;
    case 10: TRY(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made)); break;
    case 11:
    case 12: TRY(MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, pairs, &made, &index)); break;
    case 13: TRY(MPI_Intercomm_create(MPI_COMM_SELF, 0, world, last, 8, &made)); break;
    case 14:
        TRY(MPI_Grequest_start((MPI_Grequest_query_function *)0, (MPI_Grequest_free_function *)0, (MPI_Grequest_cancel_function *)0, NULL, &requests[0]));
        TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        break;
    case 15:
        TRY(MPI_Iallreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]));
        TRY(MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]));
        TRY(MPI_Waitsome(2, requests, &index, counts, MPI_STATUSES_IGNORE));
        break;
    default:
        TRY(MPI_Info_create(&info));
        TRY(MPI_Comm_dup_with_info(world, info, &made));
    }
}

int main(int argc, char **argv)
{
    char name[64], port[MPI_MAX_PORT_NAME];
    MPI_Comm world, pairs;
    MPI_Win window;
    MPI_File files[3];
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-dropped-%d", own_number());
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    // Of two ranks, of which the first never comes.
    TRY(MPI_Comm_split(world, rank == size - 1 ? 0 : rank <= 12 && rank >= 11 ? 0 : 1 + rank, -rank, &pairs));
    TRY(MPI_Open_port(MPI_INFO_NULL, port));
    TRY(MPI_Win_create(cells, sizeof cells, 1, MPI_INFO_NULL, world, &window));
    for (int i = 0; i < 3; i++)
        TRY(MPI_File_open(world, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &files[i]));
    TRY(MPI_Barrier(world));
    if (rank == size - 1) {
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank != size - 1)
        wait_in(rank, world, window, files, port, pairs);
    // Long enough for all to sleep; if one doesn't yet, it is taken out of what it does.
    struct timespec moment = {0, 200 * 1000 * 1000};
    nanosleep(&moment, NULL);
    if (rank != size - 1)
        check_fail(__FILE__, __LINE__, "wait_in", "it ended");
    __builtin_trap();
}
