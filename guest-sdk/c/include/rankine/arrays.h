/* Distributed arrays over MPI: make a grid, write halos, gather. Plain MPI beneath, so programs run on every engine.
 *
 *     Rankine_Grid grid;
 *     Rankine_Array u;
 *     Rankine_Range ranges[2] = {Rankine_ghosts(Rankine_block(500), 1, 1), Rankine_ghosts(Rankine_block(500), 1, 1)};
 *     Rankine_Grid_create(MPI_COMM_WORLD, 2, NULL, &grid);
 *     Rankine_Array_create("u", grid, 2, ranges, MPI_DOUBLE, &u);
 *     ...
 *     Rankine_Write_halo(u);
 *     Rankine_Array_gather(u, 0, rank == 0 ? all : NULL);
 *
 * Each rank stores its part, with the ghost cells around it, in one block of memory in C's order. A global index counts
 * from 0 in the whole array and is the same on all ranks; a local index counts from 0 in this rank's block, ghost cells
 * included. Rankine_Array_dimension says how the two belong together.
 *
 * Functions are collective unless their name begins with Rankine_Array_ and does not end in create, free, gather, scatter
 * or show. They give MPI_SUCCESS or an error code. A wrong use is an error that names array, dimension and rank: its text
 * goes to the standard error stream and the job ends, as MPI's errors do, unless the error handler of the communicator that
 * the grid was made of is MPI_ERRORS_RETURN; then the code is MPI_ERR_ARG, and Rankine_Arrays_error has the text. */
#ifndef RANKINE_ARRAYS_H
#define RANKINE_ARRAYS_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most dimensions of an array, and of a grid. */
enum { RANKINE_DIMENSIONS = 4, RANKINE_GRID_DIMENSIONS = 3 };

typedef struct Rankine_Grid_ *Rankine_Grid;
typedef struct Rankine_Array_ *Rankine_Array;
typedef struct Rankine_Remap_ *Rankine_Remap;

/* How the indices of a dimension are dealt out. Make one by the functions below. */
typedef struct {
    int extent;         /* indices on all ranks together */
    int kind;           /* RANKINE_BLOCK, ... */
    int block;          /* of RANKINE_CYCLIC: how many follow each other */
    const int *blocks;  /* of RANKINE_IRREGULAR: read when an array is created */
    int below, above;   /* ghost cells */
    int periodic;       /* the last index is the neighbour of the first */
    int along;          /* the grid's dimension; -1 is the next that is free */
} Rankine_Range;

enum { RANKINE_COLLAPSED, RANKINE_BLOCK, RANKINE_CYCLIC, RANKINE_IRREGULAR };

Rankine_Range Rankine_collapsed(int extent);                   /* not distributed */
Rankine_Range Rankine_block(int extent);                       /* a block for each rank, as even as can be */
Rankine_Range Rankine_cyclic(int extent, int block);           /* blocks of this length, dealt out in turn */
Rankine_Range Rankine_irregular(int count, const int *blocks); /* a block for each rank, of these lengths */
Rankine_Range Rankine_ghosts(Rankine_Range range, int below, int above);
Rankine_Range Rankine_periodic(Rankine_Range range);
Rankine_Range Rankine_along(Rankine_Range range, int dimension);

/* One dimension of an array, as this rank sees it. */
typedef struct {
    int extent;       /* indices on all ranks together */
    int first;        /* the global index of the first element that this rank owns */
    int count;        /* how many it owns */
    int below, above; /* ghost cells before and behind them */
    int room;         /* below + count + above */
    int stride;       /* elements between neighbours in memory */
} Rankine_Dimension;

/* The text of the last error. */
const char *Rankine_Arrays_error(void);

/* A grid over all ranks of a communicator. Its shape is chosen where `shape` is null or has a 0. */
int Rankine_Grid_create(MPI_Comm comm, int dimensions, const int shape[], Rankine_Grid *grid);
int Rankine_Grid_free(Rankine_Grid *grid);
/* Either result may be null. */
int Rankine_Grid_get(Rankine_Grid grid, int shape[], int coords[]);
MPI_Comm Rankine_Grid_comm(Rankine_Grid grid);

/* An array whose bytes are all 0. Its elements are of any committed datatype without gaps. Grids must outlive their
 * arrays. */
int Rankine_Array_create(const char *name, Rankine_Grid grid, int dimensions, const Rankine_Range ranges[], MPI_Datatype element, Rankine_Array *array);
int Rankine_Array_free(Rankine_Array *array);
/* This rank's block, ghost cells included. */
void *Rankine_Array_local(Rankine_Array array);
int Rankine_Array_dimension(Rankine_Array array, int dimension, Rankine_Dimension *of);
/* The global index at a local one, also where blocks are dealt out in turn. */
int Rankine_Array_global(Rankine_Array array, int dimension, int local);
/* The local index of a global one; -1 where this rank doesn't store it. */
int Rankine_Array_stored(Rankine_Array array, int dimension, int global);
/* The rank that owns an element. */
int Rankine_Array_owner(Rankine_Array array, const int index[], int *rank);

/* Copies the neighbours' rims to the ghost cells: of the faces, or of edges and corners too. Only one halo of an array is
 * under way at a time; between start and finish the interior can be computed. */
enum { RANKINE_FACES, RANKINE_CORNERS };
int Rankine_Write_halo(Rankine_Array array);
int Rankine_Start_halo(Rankine_Array array, int which);
int Rankine_Finish_halo(Rankine_Array array);

/* All elements in C's order in the memory of one rank, and back. The others' `all` is not used. */
int Rankine_Array_gather(Rankine_Array array, int root, void *all);
int Rankine_Array_scatter(Rankine_Array array, int root, const void *all);

/* target[i, j, ...] = source[i, j, ...], whatever the distributions. A remap is compiled once for arrays that are
 * distributed as these are. */
int Rankine_Copy(Rankine_Array target, Rankine_Array source);
int Rankine_Remap_create(Rankine_Array target, Rankine_Array source, Rankine_Remap *remap);
int Rankine_Remap_run(Rankine_Remap remap, Rankine_Array target, Rankine_Array source);
int Rankine_Remap_free(Rankine_Remap *remap);
/* The target's dimension d is the source's dimension order[d]. */
int Rankine_Transpose(Rankine_Array target, Rankine_Array source, const int order[]);
/* target[.., k, ..] = source[.., k + by, ..]: where there is no such element, the target is left as it is. */
int Rankine_Shift(Rankine_Array target, Rankine_Array source, int dimension, int by);
/* target[.., k, ..] = source[.., (k + by) mod n, ..] */
int Rankine_Cshift(Rankine_Array target, Rankine_Array source, int dimension, int by);

/* Sets every element that this rank stores, ghost cells too. */
int Rankine_Array_fill(Rankine_Array array, const void *element);

/* Reduces all elements by an operation of MPI to one, at all ranks. Ghost cells don't count. */
int Rankine_Reduce(Rankine_Array array, MPI_Op op, void *result);
/* The greatest (MPI_MAX) or least (MPI_MIN) element, and the first index in C's order where it stands. */
int Rankine_Extreme(Rankine_Array array, MPI_Op op, void *result, int index[]);
/* Of arrays of double that are distributed alike: the sum of products. */
int Rankine_Dot(Rankine_Array a, Rankine_Array b, double *result);
/* Shows all elements in the page of `rankine run --view` as they are at a step (rankine/view.h); collective. There are 1 to 3
 * dimensions of MPI_FLOAT, MPI_DOUBLE, MPI_INT or MPI_INT64_T: the last one runs to the right, the one before it downwards;
 * an array of one dimension is a row, and of three a plane is shown, which the page chooses. Ghost cells are left out.
 * Blocks are shown where they lie; what is dealt out in turn is brought into blocks first, if somebody may look. Without
 * --view nothing is done. */
int Rankine_Array_show(Rankine_Array array, const char *name, long long step);
/* As NumPy saves and loads arrays; rank 0 writes and reads, some MiB at a time. Elements are numbers. */
int Rankine_Write_npy(Rankine_Array array, const char *path);
int Rankine_Read_npy(Rankine_Array array, const char *path);

#ifdef __cplusplus
}
#endif
#endif
