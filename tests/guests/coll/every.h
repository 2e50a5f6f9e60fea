/* One call of every collective, with its result checked. The includer says how a collective is carried out:
   RUN(name, Name, arguments...) with the name in small letters and with a capital. */
#ifndef EVERY_H
#define EVERY_H

#include "../check.h"

enum { EVERY_RANKS = 16, EVERY_COUNT = 700 };
static int every_out[EVERY_RANKS * EVERY_COUNT], every_in[EVERY_RANKS * EVERY_COUNT + 1];
static count_t every_counts[EVERY_RANKS];
static displ_t every_places[EVERY_RANKS], every_bytes[EVERY_RANKS];
static MPI_Datatype every_types[EVERY_RANKS];

/* Element `i` of what `from` gives to `to`. */
static int every_value(int from, int to, int i)
{
    return from * 100000 + to * 1000 + i;
}

static void every_clear(void)
{
    memset(every_in, -1, sizeof every_in);
    for (int to = 0; to < size; to++)
        for (int i = 0; i < EVERY_COUNT; i++)
            every_out[to * EVERY_COUNT + i] = every_value(rank, to, i);
}

static void every_collective(int count, MPI_Comm comm)
{
    int root = (size - 1) / 2, *in = every_in, *out = every_out;
    for (int r = 0; r < size; r++) {
        every_counts[r] = count;
        every_places[r] = (size - 1 - r) * EVERY_COUNT;
        every_bytes[r] = every_places[r] * (displ_t)sizeof(int);
        every_types[r] = MPI_INT;
    }
    RUN(barrier, Barrier, comm);
    every_clear();
    if (rank == root)
        memcpy(in, out, count * sizeof *in);
    RUN(bcast, Bcast, in, count, MPI_INT, root, comm);
    for (int i = 0; i < count; i++)
        CHECK_INT(in[i], every_value(root, 0, i));
    every_clear();
    RUN(gather, Gather, out, count, MPI_INT, in, count, MPI_INT, root, comm);
    for (int r = 0; r < size && rank == root; r++)
        for (int i = 0; i < count; i++)
            CHECK_INT(in[r * count + i], every_value(r, 0, i));
    every_clear();
    RUN(gatherv, Gatherv, out, count, MPI_INT, in, every_counts, every_places, MPI_INT, root, comm);
    for (int r = 0; r < size && rank == root; r++)
        for (int i = 0; i < count; i++)
            CHECK_INT(in[every_places[r] + i], every_value(r, 0, i));
    every_clear();
    RUN(scatter, Scatter, out, count, MPI_INT, in, count, MPI_INT, root, comm);
    for (int i = 0; i < count; i++)
        CHECK_INT(in[i], every_value(root, (rank * count + i) / EVERY_COUNT, (rank * count + i) % EVERY_COUNT));
    every_clear();
    RUN(scatterv, Scatterv, out, every_counts, every_places, MPI_INT, in, count, MPI_INT, root, comm);
    for (int i = 0; i < count; i++)
        CHECK_INT(in[i], every_value(root, size - 1 - rank, i));
    every_clear();
    RUN(allgather, Allgather, out, count, MPI_INT, in, count, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count; i++)
            CHECK_INT(in[r * count + i], every_value(r, 0, i));
    every_clear();
    RUN(allgatherv, Allgatherv, out, count, MPI_INT, in, every_counts, every_places, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count; i++)
            CHECK_INT(in[every_places[r] + i], every_value(r, 0, i));
    every_clear();
    RUN(alltoall, Alltoall, out, EVERY_COUNT, MPI_INT, in, EVERY_COUNT, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        CHECK_INT(in[r * EVERY_COUNT + EVERY_COUNT - 1], every_value(r, rank, EVERY_COUNT - 1));
    every_clear();
    RUN(alltoallv, Alltoallv, out, every_counts, every_places, MPI_INT, in, every_counts, every_places, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count; i++)
            CHECK_INT(in[every_places[r] + i], every_value(r, size - 1 - rank, i));
    every_clear();
    RUN(alltoallw, Alltoallw, out, every_counts, every_bytes, every_types, in, every_counts, every_bytes, every_types, comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count; i++)
            CHECK_INT(in[every_places[r] + i], every_value(r, size - 1 - rank, i));
    int ranks = size * (size - 1) / 2 * 100000;
    every_clear();
    RUN(reduce, Reduce, out, in, count, MPI_INT, MPI_SUM, root, comm);
    for (int i = 0; i < count && rank == root; i++)
        CHECK_INT(in[i], ranks + size * i);
    every_clear();
    RUN(allreduce, Allreduce, out, in, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; i++)
        CHECK_INT(in[i], ranks + size * i);
    every_clear();
    RUN(reduce_scatter, Reduce_scatter, out, in, every_counts, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; i++) {
        int at = rank * count + i;
        CHECK_INT(in[i], ranks + size * (at / EVERY_COUNT * 1000 + at % EVERY_COUNT));
    }
    every_clear();
    RUN(reduce_scatter_block, Reduce_scatter_block, out, in, EVERY_COUNT, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < EVERY_COUNT; i++)
        CHECK_INT(in[i], ranks + size * (rank * 1000 + i));
    every_clear();
    RUN(scan, Scan, out, in, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; i++)
        CHECK_INT(in[i], rank * (rank + 1) / 2 * 100000 + (rank + 1) * i);
    every_clear();
    RUN(exscan, Exscan, out, in, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count && rank > 0; i++)
        CHECK_INT(in[i], rank * (rank - 1) / 2 * 100000 + rank * i);
}

#endif
