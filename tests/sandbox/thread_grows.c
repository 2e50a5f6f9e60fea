// Memory that grows, by another thread, while messages go from and to it: what is new may be used at once.
// ranks: 1 2
// cc: -pthread
#include "hostile.h"
#include <pthread.h>

enum { PAGES = 600, BYTES = 4 << 20 };

static volatile int done;

static void *grow(void *argument)
{
    for (int i = 0; i < PAGES; i++) {
        size_t before = __builtin_wasm_memory_grow(0, 1);
        CHECK(before != (size_t)-1);
        *(volatile char *)(before << 16) = 1;
    }
    done = 1;
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    set_canaries();
    CHECK_INT(pthread_create(&thread, NULL, grow, NULL), 0);
    for (int last = 0; !last;) {
        last = done;
        // A block at the end of memory, wherever that is by now.
        size_t at = __builtin_wasm_memory_grow(0, BYTES >> 16) << 16;
        char *block = (char *)at;
        memset(block, rank + 1, BYTES / 2);
        TRY(MPI_Sendrecv(block, BYTES / 2, MPI_CHAR, (rank + 1) % size, 4, block + BYTES / 2, BYTES / 2, MPI_CHAR,
                         (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(block[BYTES - 1], (rank + size - 1) % size + 1);
        // All go on, or none.
        TRY(MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
        REFUSED(MPI_Send((char *)memory_end() - 4, 64 << 20, MPI_CHAR, rank, 9, MPI_COMM_SELF));
    }
    CHECK_INT(pthread_join(thread, NULL), 0);
    still_fine();
    return check_end();
}
