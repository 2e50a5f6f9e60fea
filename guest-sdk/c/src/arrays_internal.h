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
    MPI_Comm lines[RANKINE_GRID_DIMENSIONS]; /* made when they are first wanted */
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

/* Which indices of its axis a dimension has: k stands for first + k * step. Where the step is 0, all are the same one. */
typedef struct {
    int first, step, count;
} Cut;

/* Which index of an array, or of a part of it, lies with whom, and where here. Places are counted in elements. */
typedef struct {
    Rankine_Grid grid;
    int dimensions;
    Axis axes[MANY];
    Cut cuts[MANY];
    MPI_Aint strides[MANY]; /* between indices of the axis */
    MPI_Aint offset;        /* of the first element that is owned */
    int only;               /* the only rank that holds anything; -1: all do */
    int fixed[RANKINE_GRID_DIMENSIONS]; /* the coordinate that a rank needs to hold anything; -1: any */
} Layout;

/* What this rank holds of a dimension: the indices, ascending, and where they lie. */
typedef struct {
    int count;
    int *indices;
    MPI_Aint *places;
} Held;

/* Persistent requests, of the ghost cells that a halo names. */
typedef struct Exchange {
    Rankine_Halo halo;
    MPI_Request *requests;
    int count, is_made;
    struct Exchange *next;
} Exchange;

struct Rankine_Array_ {
    char *name;
    Layout layout;
    MPI_Datatype element;
    MPI_Aint size;
    void *data;
    size_t count; /* elements stored here */
    int is_view;  /* of another array's elements */
    int is_lent;  /* the elements are the program's */
    Exchange halos[2], *others;
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

int axis_count(const Axis *axis, int part);
int axis_room(const Axis *axis);
/* Which part has an index; `at` is where there, without ghost cells. */
int axis_place(const Axis *axis, int index, int *at);
int axis_global(const Axis *axis, int local);
int axis_stored(const Axis *axis, int global);

int grid_coordinate(Rankine_Grid grid, int rank, int dimension);
int grid_rank(Rankine_Grid grid, const int coords[]);
/* The ranks that differ in one coordinate only, ordered by it. */
int grid_line(Rankine_Grid grid, int along, MPI_Comm *line);

/* A range over a dimension of the grid, or over none (-1); the range's own wish doesn't count. */
int axis_lay(Axis *axis, const Rankine_Range *range, Rankine_Grid grid, const char *name, int dimension, int along);
/* A plain block in C's order, with one rank or all. */
int layout_whole(Layout *layout, Rankine_Grid grid, int dimensions, const int extents[], int only);
int layout_lay(Layout *layout, Rankine_Grid grid, const char *name, int dimensions, const Rankine_Range ranges[]);
/* Fills in cuts, strides and the offset of a layout that has its axes, all of which it stores. */
int layout_pack(Layout *layout, const char *name);
int layout_copy(Layout *to, const Layout *from);
void layout_free(Layout *layout);
int layout_equal(const Layout *a, const Layout *b);
/* Whether the same ranks hold the same indices, in the same order; the extents are the same. */
int layout_is_aligned(const Layout *a, const Layout *b);
/* The target's dimension d is the source's dimension order[d]. */
int layout_permute(Layout *to, const Layout *from, const int order[]);
/* Which part holds an index of a dimension; `place` is how far from the offset, there. */
int layout_part(const Layout *layout, int dimension, int index, MPI_Aint *place);
int layout_may_hold(const Layout *layout, int rank);
/* Whether this rank holds elements, and of several that hold the same is the first. */
int layout_is_first_holder(const Layout *layout);
int layout_is_determined(const Layout *layout, int along);
/* What this rank holds in all dimensions: nothing in any, if it may hold nothing. */
int layout_held(const Layout *layout, Held held[]);
void held_free(Held held[]);

/* An array of this layout, which it takes, and of zeros. */
int array_of_layout(const char *name, Layout *layout, MPI_Datatype element, MPI_Aint size, Rankine_Array *array);
/* An array in blocks over those dimensions of the grid that another one lies over, with the array's elements. */
int array_in_blocks(Rankine_Array array, Rankine_Array like, Rankine_Array *blocks);
int array_check_dimension(Rankine_Array array, int dimension);
/* Whether two have the same extents, over the same grid; whether something may be written to all elements. */
int array_check_extents(Rankine_Array target, Rankine_Array source);
int array_check_written(Rankine_Array array);
/* What kind of number its elements are: 'f', 'c' (complex), 'i', 'u', or 0 for none. */
char array_kind(Rankine_Array array);

/* Calls `visit` with every row that this rank holds: its elements one after another, and its place among the `held`. */
typedef int (*Visit)(Rankine_Array array, const char *row, int count, const Held held[], const int at[], void *state);
int array_each_row(Rankine_Array array, Visit visit, void *state);
/* The elements of a row that begins there: where they lie, or copied to `packed` if they don't follow each other. */
const char *array_row(Rankine_Array array, const char *row, const Held *last, char *packed);
/* Reduces `count` elements to the first one. */
int array_fold(Rankine_Array array, char *elements, int count, MPI_Op op);

int arrays_start_halo(Rankine_Array array, const Rankine_Halo *halo);
/* Lets its requests go. */
int exchange_free(Exchange *exchange);

/* The elements at all sums of one place of each list, the last running fastest; `first` is the place of the first, where
 * the datatype begins. */
int datatype_product(const List lists[], int dimensions, MPI_Datatype element, MPI_Aint size, MPI_Datatype *datatype, MPI_Aint *first);

/* target[k] = source[k, shifted by `by` in the target's `dimension` (-1: none), around the end if `wraps`]. Both layouts stay
 * the caller's. */
typedef struct {
    int dimension, by, wraps;
} Shift;
int moves_make(Moves *moves, const Layout *target, const Layout *source, Shift shift, MPI_Datatype element, MPI_Aint size);
int moves_run(const Moves *moves, Rankine_Grid grid, void *target, const void *source);
void moves_free(Moves *moves);
int moves_skew(Moves *moves, const Layout *target, const Layout *source, int dimension, int along, int by, MPI_Datatype element, MPI_Aint size);
extern const Shift moves_straight;

/* What stands in a file before the numbers. */
enum { LONGEST_HEADER = 4096 };
/* Gives its length; `text` has LONGEST_HEADER bytes. */
int header_write(Rankine_Array array, int format, int is_fortran, char *text, int *length);
/* Where the numbers begin, and whether they stand in the other language's order; what is wrong, or NULL. */
const char *header_read(Rankine_Array array, int format, int is_fortran, const char *text, int length, int *begin, int *is_reversed);
int arrays_by_all(Rankine_Array array, const char *path, int format, int writes, int is_fortran);
/* Writes or reads a file, in C's or in Fortran's order. */
int arrays_file(Rankine_Array array, const char *path, int format, int writes, int is_fortran);

#endif
