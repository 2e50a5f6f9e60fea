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
 * A view is a part of an array, or the array with its dimensions in another order: an array too for whatever is done to all
 * elements (copies, reductions, files, ...), which shares the elements of the one that it was made of.
 *
 * Functions are collective unless their name begins with Rankine_Array_ and does not end in create, create_over, free,
 * gather, scatter, show or arrows. They give MPI_SUCCESS or an error code. A wrong use is an error that names array, dimension
 * and rank: its text goes to the standard error stream and the job ends, as MPI's errors do, unless the error handler of the
 * communicator that the grid was made of is MPI_ERRORS_RETURN; then the code is MPI_ERR_ARG, and Rankine_Arrays_error has the
 * text. */
#ifndef RANKINE_ARRAYS_H
#define RANKINE_ARRAYS_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most dimensions of an array, and of a grid. */
enum { RANKINE_DIMENSIONS = 4, RANKINE_GRID_DIMENSIONS = 3 };

typedef struct Rankine_Grid_ *Rankine_Grid;
typedef struct Rankine_Array_ *Rankine_Array;
typedef struct Rankine_Remap_ *Rankine_Remap;
typedef struct Rankine_Lookup_ *Rankine_Lookup;

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
/* The same over memory that has room for the `count` elements which this rank stores, ghost cells too, and which the program
 * frees after the array. */
int Rankine_Array_create_over(
    void *elements, size_t count, const char *name, Rankine_Grid grid, int dimensions, const Rankine_Range ranges[], MPI_Datatype element,
    Rankine_Array *array
);
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

/* Sets every element that this rank stores, ghost cells too; of a view, every element of it that this rank owns. */
int Rankine_Array_fill(Rankine_Array array, const void *element);

/* Views, which copy nothing. They have no local part, and must be freed before their array is. */
/* `count` indices of a dimension, from `first` on and `step` apart; a negative step goes backwards. */
int Rankine_Array_section(Rankine_Array array, int dimension, int first, int count, int step, Rankine_Array *view);
/* One index of a dimension: a view with one dimension less. */
int Rankine_Array_at(Rankine_Array array, int dimension, int index, Rankine_Array *view);
/* The view's dimension d is the array's dimension order[d]. */
int Rankine_Array_transposed(Rankine_Array array, const int order[], Rankine_Array *view);
/* The same elements along a further dimension of `count` indices, before `dimension`: copying that broadcasts them. It can't
 * be written to. */
int Rankine_Array_spread(Rankine_Array array, int dimension, int count, Rankine_Array *view);

/* Copies the neighbours' rims to the ghost cells: of the faces, or of edges and corners too. Only one halo of an array is
 * under way at a time; between start and finish the interior can be computed. */
enum { RANKINE_FACES, RANKINE_CORNERS };
int Rankine_Write_halo(Rankine_Array array);
int Rankine_Start_halo(Rankine_Array array, int which);
int Rankine_Finish_halo(Rankine_Array array);

/* The same with a part of the ghost cells. Make one by the functions below. */
typedef struct {
    int corners;
    int widths[RANKINE_DIMENSIONS][2]; /* below and above; -1: all that there are */
    int wrong;                         /* a dimension that no array has; -1: none */
} Rankine_Halo;

Rankine_Halo Rankine_faces(void);
Rankine_Halo Rankine_corners(void); /* edges and corners too: what diagonal neighbours hold */
/* Only so many cells below and above each block, in one dimension: those next to the block. */
Rankine_Halo Rankine_width(Rankine_Halo halo, int dimension, int below, int above);
Rankine_Halo Rankine_skip(Rankine_Halo halo, int dimension);
int Rankine_Write_halo_of(Rankine_Array array, Rankine_Halo halo);
int Rankine_Start_halo_of(Rankine_Array array, Rankine_Halo halo);

/* All elements in C's order in the memory of one rank, or of each (RANKINE_ALL), and back from one. The others' `all` is not
 * used. */
enum { RANKINE_ALL = -1 };
int Rankine_Array_gather(Rankine_Array array, int root, void *all);
int Rankine_Array_scatter(Rankine_Array array, int root, const void *all);

/* target[i, j, ...] = source[i, j, ...], whatever the distributions. Of views of one array, elements of the target must not be
 * elements of the source. */
int Rankine_Copy(Rankine_Array target, Rankine_Array source);
/* The target's dimension d is the source's dimension order[d]. */
int Rankine_Transpose(Rankine_Array target, Rankine_Array source, const int order[]);
/* target[.., k, ..] = source[.., k + by, ..]: where there is no such element, the target is left as it is. */
int Rankine_Shift(Rankine_Array target, Rankine_Array source, int dimension, int by);
/* target[.., k, ..] = source[.., (k + by) mod n, ..] */
int Rankine_Cshift(Rankine_Array target, Rankine_Array source, int dimension, int by);
/* As Rankine_Cshift, for each index l of the dimension `along` by l * by: what Cannon's multiplication begins with. */
int Rankine_Skew(Rankine_Array target, Rankine_Array source, int dimension, int along, int by);
/* The same, compiled once for arrays that are distributed as these are. */
int Rankine_Remap_create(Rankine_Array target, Rankine_Array source, Rankine_Remap *remap);
int Rankine_Remap_create_shift(Rankine_Array target, Rankine_Array source, int dimension, int by, Rankine_Remap *remap);
int Rankine_Remap_create_cshift(Rankine_Array target, Rankine_Array source, int dimension, int by, Rankine_Remap *remap);
int Rankine_Remap_create_skew(Rankine_Array target, Rankine_Array source, int dimension, int along, int by, Rankine_Remap *remap);
int Rankine_Remap_run(Rankine_Remap remap, Rankine_Array target, Rankine_Array source);
int Rankine_Remap_free(Rankine_Remap *remap);

/* Elements of a table that are named by arrays of MPI_INT, one for each dimension of the table, distributed as the values are.
 * Who needs what of whom is found out once. An index that nobody owns is an error at all ranks. */
int Rankine_Lookup_create(Rankine_Array values, const Rankine_Array indices[], Rankine_Array table, Rankine_Lookup *lookup);
/* values[i] = table[indices[0][i], indices[1][i], ...] */
int Rankine_Lookup_take(Rankine_Lookup lookup, Rankine_Array values, Rankine_Array table);
/* The reverse. Several values for one element, and the element itself, are combined by an operation of MPI, in the order of
 * ranks and indices; with MPI_REPLACE the last value stays. Neither array may be one of which several ranks hold copies. */
int Rankine_Lookup_put(Rankine_Lookup lookup, Rankine_Array table, Rankine_Array values, MPI_Op op);
int Rankine_Lookup_free(Rankine_Lookup *lookup);

/* Reduces all elements by an operation of MPI to one, at all ranks. Ghost cells don't count. */
int Rankine_Reduce(Rankine_Array array, MPI_Op op, void *result);
/* Makes an array of those that differ in one dimension only. It is distributed as the other dimensions are, without ghost
 * cells, and every rank along the grid's dimension of the one that has gone holds it. */
int Rankine_Reduce_along(Rankine_Array array, int dimension, MPI_Op op, Rankine_Array *result);
/* The greatest (MPI_MAX) or least (MPI_MIN) element, and the first index in C's order where it stands. */
int Rankine_Extreme(Rankine_Array array, MPI_Op op, void *result, int index[]);
/* The sum of products, of arrays with the same extents, of real numbers or integers. What is distributed in another way is
 * copied first. */
int Rankine_Dot(Rankine_Array a, Rankine_Array b, double *result);
/* The sum of all magnitudes, the root of the sum of their squares, or the greatest one. Elements are numbers, complex ones
 * too. */
enum { RANKINE_NORM_1, RANKINE_NORM_2, RANKINE_NORM_MAX };
int Rankine_Norm(Rankine_Array array, int which, double *result);

/* Shows all elements in the page of `rankine run --view` as they are at a step (rankine/view.h); collective. There are 1 to 3
 * dimensions of MPI_FLOAT, MPI_DOUBLE, MPI_INT or MPI_INT64_T: the last one runs to the right, the one before it downwards;
 * an array of one dimension is a row, and of three a plane is shown, which the page chooses. Ghost cells are left out.
 * Blocks are shown where they lie; what is dealt out in turn is brought into blocks first, if somebody may look. Without
 * --view nothing is done. */
int Rankine_Array_show(Rankine_Array array, const char *name, long long step);
/* The same with arrows: `parts` are arrays of 2 or 3 dimensions, one for each, with the parts of vectors along x (the last
 * dimension), y and z. Colours show `values`, or how long the arrows are (NULL). All have the same extents and type. */
int Rankine_Array_arrows(const Rankine_Array parts[], Rankine_Array values, const char *name, long long step);

/* Files in C's order. As NumPy saves and loads arrays, or bare numbers behind a header of 16 + 8 R bytes: `RKARRAY1`, NumPy's
 * name of the type in 4 bytes, the number R of dimensions in 4, the extents in 8 each, little-endian. Rank 0 writes and reads,
 * some MiB at a time; with RANKINE_MPI_IO added to the format every rank moves its own part. Elements are numbers. */
enum { RANKINE_NPY, RANKINE_RAW, RANKINE_MPI_IO = 16 };
int Rankine_Write(Rankine_Array array, const char *path, int format);
int Rankine_Read(Rankine_Array array, const char *path, int format);
/* With RANKINE_NPY. */
int Rankine_Write_npy(Rankine_Array array, const char *path);
int Rankine_Read_npy(Rankine_Array array, const char *path);

#ifdef __cplusplus
}
#endif
#endif
