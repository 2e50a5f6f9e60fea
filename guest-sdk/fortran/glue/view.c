/* The live view: the procedures behind the module rankine_view. */
#include "glue.h"
#include <rankine/view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A choice whose first label has this number (the SDK's view.c). */
int rankine_view_choice(const char *name, int *choice, int from, int choices, const char *const labels[]);

enum { DIMENSIONS = 3 };

int rankine_view_on_(void)
{
    return Rankine_View_on();
}

static MPI_Datatype element(const CFI_cdesc_t *values)
{
    switch (values->type) {
    case CFI_type_float:
        return MPI_FLOAT;
    case CFI_type_double:
        return MPI_DOUBLE;
    case CFI_type_int64_t:
        return MPI_INT64_T;
    default:
        return MPI_INT32_T;
    }
}

/* The elements between neighbours of each dimension, the last one first, as C has them. */
static int strides_of(const char *name, const CFI_cdesc_t *values, int strides[])
{
    for (int d = 0; d < values->rank; d++) {
        CFI_index_t apart = values->dim[d].sm;
        if (apart % (CFI_index_t)values->elem_len != 0) {
            fprintf(stderr, "rankine: %s can't be shown: its elements lie %ld bytes apart, and have %ld\n", name, (long)apart, (long)values->elem_len);
            return MPI_ERR_BUFFER;
        }
        strides[values->rank - 1 - d] = (int)(apart / (CFI_index_t)values->elem_len);
    }
    return MPI_SUCCESS;
}

/* A box as C has it: the last dimension comes first. */
static void box_of(const int *shape, const int *start, const CFI_cdesc_t *values, int extents[], int first[], int count[])
{
    for (int d = 0; d < values->rank; d++) {
        int of = values->rank - 1 - d;
        extents[d] = shape[of];
        /* What is no index stays one that is refused. */
        first[d] = start[of] > 0 ? start[of] - 1 : -1;
        count[d] = (int)values->dim[of].extent;
    }
}

void rankine_view_put_field_(const char *name, int *step, const int *shape, const int *start, const CFI_cdesc_t *values, int *ierror, size_t length)
{
    int extents[DIMENSIONS], first[DIMENSIONS], count[DIMENSIONS], strides[DIMENSIONS], rank = values->rank;
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    box_of(shape, start, values, extents, first, count);
    char *text = rankine_c_string(name, length);
    int code = strides_of(text, values, strides);
    if (code == MPI_SUCCESS)
        code = Rankine_View_field(text, *step, rank, extents, first, count, strides, element(values), values->base_addr);
    free(text);
    return_code(ierror, code);
}

/* Whether arrays have one shape, and lie in memory alike. */
static int lie_alike(const CFI_cdesc_t *one, const CFI_cdesc_t *other)
{
    for (int d = 0; d < one->rank; d++)
        if (one->dim[d].extent != other->dim[d].extent || (one->dim[d].extent > 1 && one->dim[d].sm != other->dim[d].sm))
            return 0;
    return 1;
}

void rankine_view_put_arrows_(const char *name, int *step, const int *shape, const int *start, const CFI_cdesc_t *x, const CFI_cdesc_t *y, const CFI_cdesc_t *z, const CFI_cdesc_t *values, int *ierror, size_t length)
{
    int extents[DIMENSIONS], first[DIMENSIONS], count[DIMENSIONS], strides[DIMENSIONS];
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    box_of(shape, start, x, extents, first, count);
    char *text = rankine_c_string(name, length);
    int code = strides_of(text, x, strides);
    if (!lie_alike(x, y) || (z != NULL && !lie_alike(x, z)) || (values != NULL && !lie_alike(x, values))) {
        fprintf(stderr, "rankine: %s can't be shown: the parts of its vectors and its values have different shapes, or lie in memory differently\n", text);
        code = MPI_ERR_DIMS;
    }
    if (code == MPI_SUCCESS)
        code = Rankine_View_arrows(text, *step, x->rank, extents, first, count, strides, element(x), values == NULL ? NULL : values->base_addr, x->base_addr, y->base_addr, z == NULL ? NULL : z->base_addr);
    free(text);
    return_code(ierror, code);
}

void rankine_view_put_scale_(const char *name, const char *unit, double *least, double *greatest, int *ierror, size_t length, size_t length_unit)
{
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    char *text = rankine_c_string(name, length), *of = rankine_c_string(unit, length_unit);
    return_code(ierror, Rankine_View_scale(text, of, *least, *greatest));
    free(text);
    free(of);
}

void rankine_view_put_axis_(const char *name, const char *axis, const char *label, const char *unit, double *first, double *spacing, int *ierror, size_t length, size_t length_axis, size_t length_label, size_t length_unit)
{
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    char *text = rankine_c_string(name, length), *letter = rankine_c_string(axis, length_axis);
    char *title = rankine_c_string(label, length_label), *of = rankine_c_string(unit, length_unit);
    /* What is longer than a letter is none. */
    return_code(ierror, Rankine_View_axis(text, letter[0] != '\0' && letter[1] == '\0' ? letter[0] : '?', title, of, *first, *spacing));
    free(text);
    free(letter);
    free(title);
    free(of);
}

void rankine_view_put_points_(const char *name, int *step, const CFI_cdesc_t *places, const CFI_cdesc_t *values, const CFI_cdesc_t *within, int *ranks, int *ierror, size_t length)
{
    int apart[DIMENSIONS], strides[] = {0, 0, 1}, code = MPI_SUCCESS, dimensions = (int)places->dim[0].extent;
    double bounds[2 * DIMENSIONS];
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    char *text = rankine_c_string(name, length);
    if (values != NULL && values->dim[0].extent != places->dim[1].extent) {
        fprintf(stderr, "rankine: %s can't be shown: there are %ld points and %ld values\n", text, (long)places->dim[1].extent, (long)values->dim[0].extent);
        code = MPI_ERR_COUNT;
    }
    if (within != NULL && (within->dim[0].extent != 2 || within->dim[1].extent != dimensions)) {
        fprintf(stderr, "rankine: %s can't be shown: its bounds have the shape (2, %d)\n", text, dimensions);
        code = MPI_ERR_DIMS;
    }
    if (code == MPI_SUCCESS)
        code = strides_of(text, places, apart);
    strides[0] = apart[0];
    strides[1] = apart[1];
    if (code == MPI_SUCCESS && values != NULL) {
        code = strides_of(text, values, apart);
        strides[2] = apart[0];
    }
    for (int d = 0; code == MPI_SUCCESS && within != NULL && d < dimensions && d < DIMENSIONS; d++)
        for (int end = 0; end < 2; end++)
            memcpy(&bounds[2 * d + end], (const char *)within->base_addr + end * within->dim[0].sm + d * within->dim[1].sm, sizeof *bounds);
    if (code == MPI_SUCCESS)
        code = Rankine_View_points(text, *step, *ranks, dimensions, (int)places->dim[1].extent, within == NULL ? NULL : bounds, element(places), places->base_addr, values == NULL ? NULL : values->base_addr, strides);
    free(text);
    return_code(ierror, code);
}

void rankine_view_put_curve_(const char *name, double *x, double *y, int *ierror, size_t length)
{
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    char *text = rankine_c_string(name, length);
    return_code(ierror, Rankine_View_curve(text, *x, *y));
    free(text);
}

void rankine_view_text_(const char *name, const char *shown, int *ierror, size_t length, size_t length_shown)
{
    return_code(ierror, MPI_SUCCESS);
    if (!Rankine_View_on())
        return;
    char *text = rankine_c_string(name, length), *lines = rankine_c_string(shown, length_shown);
    return_code(ierror, Rankine_View_text(text, lines));
    free(text);
    free(lines);
}

void rankine_view_put_number_(const char *name, double *number, double *least, double *greatest, double *step, int *ierror, size_t length)
{
    char *text = rankine_c_string(name, length);
    return_code(ierror, Rankine_View_number(text, number, *least, *greatest, *step));
    free(text);
}

void rankine_view_put_choice_(const char *name, int *choice, int *count, const char *labels, int *ierror, size_t length, size_t length_label)
{
    const char **texts = malloc((*count + 1) * sizeof *texts);
    if (!texts) {
        return_code(ierror, MPI_ERR_NO_MEM);
        return;
    }
    for (int i = 0; i < *count; i++)
        texts[i] = rankine_c_string(labels + i * length_label, length_label);
    char *text = rankine_c_string(name, length);
    return_code(ierror, rankine_view_choice(text, choice, 1, *count, texts));
    free(text);
    for (int i = 0; i < *count; i++)
        free((char *)texts[i]);
    free(texts);
}

void rankine_view_put_button_(const char *name, int *presses, int *ierror, size_t length)
{
    char *text = rankine_c_string(name, length);
    return_code(ierror, Rankine_View_button(text, presses));
    free(text);
}

void rankine_view_update_f08_(int *comm, int *ierror)
{
    return_code(ierror, Rankine_View_update(HANDLE(*comm)));
}
ALSO(rankine_view_update_f08_, rankine_view_update_f90_);
