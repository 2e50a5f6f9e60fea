/* What the files arrays_*.c share. */
#ifndef ARRAYS_INTERNAL_H
#define ARRAYS_INTERNAL_H

#include <rankine/arrays.h>
#include <stddef.h>

#define MANY RANKINE_DIMENSIONS

struct Rankine_Grid_ {
    MPI_Comm comm;
    int returns_errors;
    int is_fortran; /* errors count dimensions and indices as Fortran does */
    int dimensions, rank, size;
    int shape[RANKINE_GRID_DIMENSIONS], coords[RANKINE_GRID_DIMENSIONS];
};

/* A range laid over a dimension of a grid. */
typedef struct {
    int extent;
    int along; /* -1: over none */
    int parts, part;
    int block;   /* dealt out in turn by so many; 0: in blocks, which begin at `starts` */
    int *starts; /* of all parts, and the end */
    int below, above, periodic;
} Axis;

/* Which index lies with whom, and where here. Places are counted in elements. */
typedef struct {
    Rankine_Grid grid;
    int dimensions;
    Axis axes[MANY];
    MPI_Aint strides[MANY];
    MPI_Aint offset; /* of the first element that is owned */
    int only;        /* the only rank that holds anything; -1: all do */
} Layout;

/* Persistent requests. */
typedef struct {
    MPI_Request *requests;
    int count, is_made;
} Exchange;

struct Rankine_Array_ {
    char *name;
    Layout layout;
    MPI_Datatype element;
    MPI_Aint size;
    void *data;
    size_t count; /* elements stored here */
    Exchange halos[2];
    Exchange *started;
};

/* Where elements are, as sums of a place of each list. */
typedef struct {
    int count;
    MPI_Aint *places;
} List;

/* A message: a datatype, and where it begins in bytes. */
typedef struct {
    int rank;
    MPI_Datatype datatype;
    MPI_Aint offset;
} Message;

typedef struct {
    Message *messages;
    int count;
} Messages;

typedef struct {
    Messages receives, sends;
} Moves;

struct Rankine_Remap_ {
    Layout target, source;
    MPI_Aint size;
    Moves moves;
};

/* Reports a wrong use; `dimension`, as `grid_shown` gives it, may be -1. Gives the code for the caller to return. */
int arrays_misuse(Rankine_Grid grid, const char *name, int dimension, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns from the calling function when an operation fails. */
#define TRY(call) \
    do { \
        int code_ = (call); \
        if (code_ != MPI_SUCCESS) \
            return code_; \
    } while (0)

/* A dimension as the program counts it: Fortran's first one is our last. */
int grid_shown(Rankine_Grid grid, int dimensions, int dimension);
/* For the module rankine_arrays. */
void arrays_in_fortran(Rankine_Grid grid);

int axis_count(const Axis *axis, int part);
int axis_room(const Axis *axis);
/* Which part has an index; `at` is where there, without ghost cells. */
int axis_place(const Axis *axis, int index, int *at);
int axis_global(const Axis *axis, int local);
int axis_stored(const Axis *axis, int global);

int grid_coordinate(Rankine_Grid grid, int rank, int dimension);
int grid_rank(Rankine_Grid grid, const int coords[]);

/* A plain block in C's order, with one rank or all. Its axes need no freeing but by layout_free. */
int layout_whole(Layout *layout, Rankine_Grid grid, int dimensions, const int extents[], int only);
int layout_lay(Layout *layout, Rankine_Grid grid, const char *name, int dimensions, const Rankine_Range ranges[]);
int layout_copy(Layout *to, const Layout *from);
void layout_free(Layout *layout);
int layout_equal(const Layout *a, const Layout *b);
/* Whether this rank holds elements, and of several that hold the same is the first. */
int layout_is_first_holder(const Layout *layout);
int layout_is_determined(const Layout *layout, int along);

/* The elements at all sums of one place of each list, the last running fastest; `first` is the place of the first, where
 * the datatype begins. */
int datatype_product(const List lists[], int dimensions, MPI_Datatype element, MPI_Aint size, MPI_Datatype *datatype, MPI_Aint *first);

/* target[k] = source[order of k, shifted by `by` in the target's `dimension` (-1: none), around the end if `wraps`]. Both
 * layouts stay the caller's. */
int moves_make(Moves *moves, const Layout *target, const Layout *source, const int order[], int dimension, int by, int wraps, MPI_Datatype element, MPI_Aint size);
int moves_run(const Moves *moves, Rankine_Grid grid, void *target, const void *source);
void moves_free(Moves *moves);

/* Writes or reads a file of NumPy's, in C's or in Fortran's order. */
int arrays_npy(Rankine_Array array, const char *path, int writes, int is_fortran);

#endif
