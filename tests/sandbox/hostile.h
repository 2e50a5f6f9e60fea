/* For guests that pass what no program should: each must get an error of its own, and nobody else may notice. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "../guests/check.h"

/* The end of this rank's memory: nothing lies at this address or above. */
static inline uintptr_t memory_end(void)
{
    return (uintptr_t)__builtin_wasm_memory_size(0) * 65536;
}

/* An address so many bytes before the end of memory. */
static inline void *near_end(size_t bytes)
{
    return (void *)(memory_end() - bytes);
}

/* A call that must be refused, whatever the class. */
#define REFUSED(call) \
    do { \
        if ((call) == MPI_SUCCESS) \
            check_fail(__FILE__, __LINE__, #call, "expected an error, got success"); \
    } while (0)

enum { CANARIES = 4096 };
static unsigned char canary_before[CANARIES], canary_after[CANARIES];

/* Fills memory that nobody may touch. */
static void set_canaries(void)
{
    memset(canary_before, 0xc5, CANARIES);
    memset(canary_after, 0xc5, CANARIES);
}

/* Nothing was overwritten, no message is left over, and everybody still works. */
static void still_fine(void)
{
    int sum = -1, got = -1, flag = -1, next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < CANARIES; i++) {
        CHECK_INT(canary_before[i], 0xc5);
        CHECK_INT(canary_after[i], 0xc5);
    }
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, size * (size - 1) / 2);
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(got, before);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

/* As check_begin, with canaries. */
static inline void hostile_begin(int *argc, char ***argv)
{
    check_begin(argc, argv);
    set_canaries();
}

static inline int hostile_end(void)
{
    still_fine();
    return check_end();
}

#endif
