/* Reductions of numbers: products and norms. */
#include "arrays_internal.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one kind and size as doubles: of complex ones their magnitudes. */
typedef struct {
    char kind;
    int size;
} Number;

#define CASE(kind_, type, magnitude) \
    if (of.kind == kind_ && of.size == sizeof(type)) { \
        for (int n = 0; n < count; n++) { \
            type value; \
            memcpy(&value, row + n * sizeof value, sizeof value); \
            to[n] = (double)magnitude(value); \
        } \
        return; \
    }

static void to_doubles(Number of, const char *row, int count, double to[])
{
    CASE('f', double, )
    CASE('f', float, )
    CASE('c', double complex, cabs)
    CASE('c', float complex, cabsf)
    CASE('i', int32_t, )
    CASE('i', int64_t, )
    CASE('i', int16_t, )
    CASE('i', int8_t, )
    CASE('u', uint32_t, )
    CASE('u', uint64_t, )
    CASE('u', uint16_t, )
    CASE('u', uint8_t, )
}
#undef CASE

static int number(Rankine_Array array, const char *what, Number *number)
{
    *number = (Number){array_kind(array), (int)array->size};
    if (number->kind != 0 && !(number->kind == 'c' && what[0] == 'p'))
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "it has no %s: its elements are %s", what, number->kind == 0 ? "not numbers" : "complex");
}

/* A row of doubles, as it is or in `room`, which grows. */
static const double *doubles(Number of, const char *row, int count, double **room, int *has)
{
    if (of.kind == 'f' && of.size == sizeof(double))
        return (const double *)row;
    if (count > *has) {
        double *more = realloc(*room, count * sizeof *more);
        if (more == NULL)
            return NULL;
        *room = more;
        *has = count;
    }
    to_doubles(of, row, count, *room);
    return *room;
}

typedef struct {
    int which;
    Number of;
    double result, *room;
    int has;
} Norm;

static int norm_row(Rankine_Array array, const char *row, int count, const Held held[], const int at[], void *state)
{
    Norm *norm = state;
    const double *values = doubles(norm->of, row, count, &norm->room, &norm->has);
    double lanes[4] = {0};
    (void)array;
    (void)held;
    (void)at;
    if (values == NULL)
        return MPI_ERR_NO_MEM;
    for (int n = 0; n < count; n++) {
        double *lane = &lanes[n % 4], value = fabs(values[n]);
        *lane = norm->which == RANKINE_NORM_MAX ? (value > *lane ? value : *lane) : *lane + (norm->which == RANKINE_NORM_2 ? value * value : value);
    }
    for (int lane = 0; lane < 4; lane++)
        norm->result = norm->which == RANKINE_NORM_MAX ? fmax(norm->result, lanes[lane]) : norm->result + lanes[lane];
    return MPI_SUCCESS;
}

int Rankine_Norm(Rankine_Array array, int which, double *result)
{
    Rankine_Grid grid = array->layout.grid;
    Norm norm = {.which = which};
    int code = MPI_SUCCESS;
    if (which < RANKINE_NORM_1 || which > RANKINE_NORM_MAX)
        return arrays_misuse(grid, array->name, -1, "there is no norm %d", which);
    TRY(number(array, "norm", &norm.of));
    if (layout_is_first_holder(&array->layout))
        code = array_each_row(array, norm_row, &norm);
    free(norm.room);
    TRY(code);
    TRY(MPI_Allreduce(&norm.result, result, 1, MPI_DOUBLE, which == RANKINE_NORM_MAX ? MPI_MAX : MPI_SUM, grid->comm));
    if (which == RANKINE_NORM_2)
        *result = sqrt(*result);
    return MPI_SUCCESS;
}

typedef struct {
    Rankine_Array other;
    const Held *held; /* of the other */
    Number of, others;
    double sum, *room, *others_room;
    int has, others_has;
    char *packed;
} Product;

static int multiply_row(Rankine_Array array, const char *row, int count, const Held held[], const int at[], void *state)
{
    Product *product = state;
    const Layout *layout = &product->other->layout;
    MPI_Aint place = layout->offset, size = product->other->size;
    int last = layout->dimensions - 1;
    double lanes[4] = {0};
    (void)array;
    (void)held;
    for (int d = 0; d < last; d++)
        place += product->held[d].places[at[d]];
    const char *other = array_row(product->other, (const char *)product->other->data + place * size, &product->held[last], product->packed);
    const double *a = doubles(product->of, row, count, &product->room, &product->has);
    const double *b = doubles(product->others, other, count, &product->others_room, &product->others_has);
    if (a == NULL || b == NULL)
        return MPI_ERR_NO_MEM;
    int n = 0;
    for (; n + 4 <= count; n += 4)
        for (int lane = 0; lane < 4; lane++)
            lanes[lane] += a[n + lane] * b[n + lane];
    for (; n < count; n++)
        lanes[0] += a[n] * b[n];
    product->sum += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    return MPI_SUCCESS;
}

static int dot_alike(Rankine_Array a, Rankine_Array b, double *result)
{
    Held held[MANY];
    Product product = {.other = b, .held = held};
    TRY(number(a, "product", &product.of));
    TRY(number(b, "product", &product.others));
    TRY(layout_held(&b->layout, held));
    int count = held[b->layout.dimensions - 1].count, code = MPI_SUCCESS;
    product.packed = malloc((count > 0 ? count : 1) * b->size);
    if (product.packed == NULL)
        code = MPI_ERR_NO_MEM;
    else if (layout_is_first_holder(&a->layout))
        code = array_each_row(a, multiply_row, &product);
    free(product.packed);
    free(product.room);
    free(product.others_room);
    held_free(held);
    TRY(code);
    return MPI_Allreduce(&product.sum, result, 1, MPI_DOUBLE, MPI_SUM, a->layout.grid->comm);
}

int Rankine_Dot(Rankine_Array a, Rankine_Array b, double *result)
{
    Rankine_Array blocks, others;
    TRY(array_check_extents(a, b));
    if (layout_is_aligned(&a->layout, &b->layout))
        return dot_alike(a, b, result);
    TRY(array_in_blocks(a, a, &blocks));
    int code = array_in_blocks(b, a, &others);
    if (code == MPI_SUCCESS) {
        code = dot_alike(blocks, others, result);
        Rankine_Array_free(&others);
    }
    Rankine_Array_free(&blocks);
    return code;
}
