/* The live view: what a program shows in the page of `rankine run --view`, and what is changed there.
 *
 *     double inflow = 0.9;
 *     Rankine_View_number("inflow", &inflow, 0.1, 2.0, 0.05);
 *     Rankine_View_scale("density", "kg/m³", 0, 1.5);
 *     Rankine_View_axis("density", 'x', "length", "m", 0, 0.01);
 *     for (step = 0; step < steps; step++) {
 *         Rankine_View_update(MPI_COMM_WORLD);
 *         ...
 *         Rankine_View_field("density", step, 2, shape, start, count, NULL, MPI_DOUBLE, density);
 *         if (rank == 0)
 *             Rankine_View_curve("residual", step, residual);
 *     }
 *
 * Without --view all of it does nothing: controls keep their values, and publishing costs a call. Things are known by
 * their names. Functions give MPI_SUCCESS or an error class; what was wrong is told on the standard error stream and in
 * the page, and the program goes on. */
#ifndef RANKINE_VIEW_H
#define RANKINE_VIEW_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RANKINE_VIEW_FUNCTION(name) __attribute__((import_module("rankine_view"), import_name(#name)))

/* The most controls of a program. */
enum { RANKINE_VIEW_CONTROLS = 64 };

/* Whether somebody may look: the same on all ranks. */
int Rankine_View_on(void) RANKINE_VIEW_FUNCTION(Rankine_View_on);

/* Shows this rank's part of a field as it is at a step: a box of `count` elements in each dimension from `start` on,
 * within the `shape` of the whole. There are 2 or 3 dimensions; the last one runs to the right, the one before it
 * downwards, and of three a plane is shown, which the page chooses. `strides` are in elements; without them (NULL) the box is stored in C's
 * order. Elements are of MPI_FLOAT, MPI_DOUBLE, MPI_INT or MPI_INT64_T. A frame is shown when the parts of all ranks cover the whole, so each
 * publishes once a step; a rank that has nothing need not. Threads of a rank may publish a part each.
 * Rankine_Array_show (rankine/arrays.h) shows a distributed array. */
int Rankine_View_field(const char *name, long long step, int dimensions, const int shape[], const int start[], const int count[], const int strides[], MPI_Datatype element, const void *values) RANKINE_VIEW_FUNCTION(Rankine_View_field);

/* The same with arrows over it: x, y and z are the parts of vectors along the axes of these names (see Rankine_View_axis),
 * which lie in memory as `values` do, so that z is NULL with two dimensions. They point to where coordinates grow. Without
 * `values` (NULL) the colours show how long they are. Field and vectors are of one step, and shown together. */
int Rankine_View_arrows(const char *name, long long step, int dimensions, const int shape[], const int start[], const int count[], const int strides[], MPI_Datatype element, const void *values, const void *x, const void *y, const void *z) RANKINE_VIEW_FUNCTION(Rankine_View_arrows);

/* Shows points, such as particles, as they are at a step: this rank's `count` of them, each with 2 or 3 coordinates (x to
 * the right, y upwards), which lie in `places` one point after another. `values`, one for each point, are shown as colours;
 * NULL: there are none. Both are of the type `element`, one of those of fields. `strides` are elements between points,
 * between a point's coordinates, and between values; NULL: {dimensions, 1, 1}. `within` are the bounds of the picture, the
 * least and the greatest of each coordinate; NULL: those of the points. A frame is shown when so many `ranks` have published
 * for the step, each once, those that have no points too; 0 stands for all ranks of the job. */
int Rankine_View_points(const char *name, long long step, int ranks, int dimensions, int count, const double within[], MPI_Datatype element, const void *places, const void *values, const int strides[]) RANKINE_VIEW_FUNCTION(Rankine_View_points);

/* Says what the values of a field, of points or of a curve are: their `unit` ("" if they have none), and what the ends of the
 * colours stand for; of a curve, the ends of y. Where both are the same, or one is NAN, they are found from the values. Like
 * the next one it may be said by any rank or by all, before the thing of this name is published or between two steps, and
 * what is said last counts. */
int Rankine_View_scale(const char *name, const char *unit, double least, double greatest) RANKINE_VIEW_FUNCTION(Rankine_View_scale);

/* Says what an axis is: 'x', 'y' or 'z'. Of a field x is the last dimension, which runs to the right, y the one before it,
 * and z the first of three. The element with the index n has the coordinate first + n * spacing, which descends where the
 * spacing is less than 0; with a spacing of 0 elements are counted. Points and curves have coordinates of their own, and only
 * a label ("": the letter) and a unit. */
int Rankine_View_axis(const char *name, char axis, const char *label, const char *unit, double first, double spacing) RANKINE_VIEW_FUNCTION(Rankine_View_axis);

/* Adds a point to a curve: of one rank, or of several under different names. */
int Rankine_View_curve(const char *name, double x, double y) RANKINE_VIEW_FUNCTION(Rankine_View_curve);

/* Shows a text in place of the one before. */
int Rankine_View_text(const char *name, const char *text) RANKINE_VIEW_FUNCTION(Rankine_View_text);

/* Lets the page change a number from `least` to `greatest` in steps of `step` (0: any), choose one of `count` labels, or
 * press a button, which counts how often it was pressed since the last update. The variable is changed by
 * Rankine_View_update alone and must live as long as the program. Every rank that wants to know declares it. */
int Rankine_View_number(const char *name, double *value, double least, double greatest, double step);
int Rankine_View_choice(const char *name, int *choice, int count, const char *const labels[]);
int Rankine_View_button(const char *name, int *presses);

/* Collective: gives the variables of all controls what the page says now, the same on all ranks, and waits while the page
 * has the program pause. */
int Rankine_View_update(MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
