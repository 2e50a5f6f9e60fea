/* The functions of fftw3.h, and the transforms that they do where the host does none; compiled once for each precision (Real, Complex, X, HOST_…).

   A plan is the description of a transform, in the form that the host takes. A call of the host does all of it or nothing; then the lines are transformed here,
   along one dimension after another: by factors, or as a convolution of a convenient length if a prime factor is large (Bluestein's way). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 8, LARGEST_FACTOR = 50, MOST_FACTORS = 32 };
enum kind { COMPLEX, FROM_REAL, TO_REAL };

typedef X(iodim) Axis;

#define HOST(name) __attribute__((import_module("rankine_math"), import_name(name)))

HOST(HOST_COMPLEX)
int X(host_complex)(int rank, const Axis *dimensions, int many_rank, const Axis *many, void *in, void *out, int sign);
HOST(HOST_FROM_REAL)
int X(host_from_real)(int rank, const Axis *dimensions, int many_rank, const Axis *many, void *in, void *out);
HOST(HOST_TO_REAL)
int X(host_to_real)(int rank, const Axis *dimensions, int many_rank, const Axis *many, void *in, void *out);

/* How lines of a length are transformed here. Threads may use it at the same time. */
struct line {
    int n, sign, factors, factor[MOST_FACTORS];
    Complex *roots; /* e to the power of sign 2πi k/n */
    /* Of a length with a large factor: */
    struct line *there, *back; /* of the convolution */
    Complex *chirp, *filter;
};

struct X(plan_s) {
    enum kind kind;
    int sign, rank, many_rank;
    Axis dimensions[MOST_DIMENSIONS], many[MOST_DIMENSIONS];
    void *in, *out;
    struct line *lines[MOST_DIMENSIONS]; /* NULL if the host does the transform; should it decline once, they are made for that */
};

static void *room(size_t count, size_t size)
{
    void *at = size != 0 && count > (size_t)-1 / size ? NULL : malloc(count * size);
    if (!at) { /* an execution has no way to fail */
        fprintf(stderr, "a Fourier transform: no memory for %zu times %zu bytes\n", count, size);
        abort();
    }
    return at;
}

static Complex root(int sign, long long k, long long n)
{
    double angle = 2 * M_PI * (double)k / (double)n;
    return (Complex)cos(angle) + (Complex)_Complex_I * (Real)(sign * sin(angle));
}

static void transform(const struct line *line, Complex *values, Complex *work);

/* Numbers that a transform needs beside the line. */
static size_t work_of(const struct line *line)
{
    return line->there ? 2 * (size_t)line->there->n : (size_t)line->n;
}

static struct line *line_of(int n, int sign)
{
    struct line *line = room(1, sizeof *line);
    *line = (struct line){.n = n, .sign = sign};
    int rest = n;
    for (; rest % 4 == 0; rest /= 4)
        line->factor[line->factors++] = 4;
    for (int p = 2; p <= LARGEST_FACTOR; p++)
        for (; rest % p == 0; rest /= p)
            line->factor[line->factors++] = p;
    if (rest == 1) {
        line->roots = room(n, sizeof *line->roots);
        for (int k = 0; k < n; k++)
            line->roots[k] = root(sign, k, n);
        return line;
    }
    line->chirp = room(n, sizeof *line->chirp);
    int length = 1;
    while (length < 2 * n - 1)
        length *= 2;
    line->there = line_of(length, -1);
    line->back = line_of(length, 1);
    line->filter = room(length, sizeof *line->filter);
    memset(line->filter, 0, length * sizeof *line->filter);
    for (long long k = 0; k < n; k++) {
        line->chirp[k] = root(sign, k * k % (2 * n), 2 * n);
        line->filter[k] = line->filter[(length - k) % length] = conj(line->chirp[k]) / length;
    }
    Complex *work = room(length, sizeof *work);
    transform(line->there, line->filter, work);
    free(work);
    return line;
}

static void line_free(struct line *line)
{
    if (!line)
        return;
    line_free(line->there);
    line_free(line->back);
    free(line->roots);
    free(line->chirp);
    free(line->filter);
    free(line);
}

/* Products without the checks for infinities. */
static inline Complex times(Complex a, Complex b)
{
    Real re = creal(a) * creal(b) - cimag(a) * cimag(b), im = creal(a) * cimag(b) + cimag(a) * creal(b);
    return (Complex)re + (Complex)_Complex_I * im;
}

static inline Complex turned(Complex a, int sign)
{
    return (Complex)(-sign * cimag(a)) + (Complex)_Complex_I * (Real)(sign * creal(a));
}

/* The sums of `p` neighbours with all roots of order p. */
static void butterfly(const struct line *line, int p, const Complex *a, Complex *out, int apart)
{
    if (p == 2) {
        out[0] = a[0] + a[1];
        out[apart] = a[0] - a[1];
        return;
    }
    if (p == 4) {
        Complex sum = a[0] + a[2], difference = a[0] - a[2], others = a[1] + a[3], other = turned(a[1] - a[3], line->sign);
        out[0] = sum + others;
        out[apart] = difference + other;
        out[2 * apart] = sum - others;
        out[3 * apart] = difference - other;
        return;
    }
    for (int q = 0; q < p; q++) {
        Complex sum = a[0];
        for (int k = 1; k < p; k++)
            sum += times(a[k], line->roots[q * k % p * (line->n / p)]);
        out[q * apart] = sum;
    }
}

/* Transforms `n` values of `in`, `stride` apart, to `out`, by the factors from number `level` on. */
static void by_factors(const struct line *line, int level, int n, const Complex *in, int stride, Complex *out)
{
    if (n == 1) {
        *out = *in;
        return;
    }
    int p = line->factor[level], m = n / p, step = line->n / n;
    for (int k = 0; k < p; k++)
        by_factors(line, level + 1, m, in + k * stride, stride * p, out + k * m);
    for (int j = 0; j < m; j++) {
        Complex a[LARGEST_FACTOR];
        a[0] = out[j];
        for (int k = 1; k < p; k++)
            a[k] = times(out[j + k * m], line->roots[k * j * step]);
        butterfly(line, p, a, out + j, m);
    }
}

/* Transforms a line where it lies. */
static void transform(const struct line *line, Complex *values, Complex *work)
{
    int n = line->n;
    if (!line->there) {
        memcpy(work, values, n * sizeof *values);
        by_factors(line, 0, n, work, 1, values);
        return;
    }
    int length = line->there->n;
    for (int k = 0; k < length; k++)
        work[k] = k < n ? times(values[k], line->chirp[k]) : 0;
    transform(line->there, work, work + length);
    for (int k = 0; k < length; k++)
        work[k] = times(work[k], line->filter[k]);
    transform(line->back, work, work + length);
    for (int k = 0; k < n; k++)
        values[k] = times(work[k], line->chirp[k]);
}

/* Transforms the line that begins at `in` to that which begins at `out`; the spectrum of a real line is half of one. */
static void one_line(const struct line *line, enum kind kind, Complex *values, const void *in, int is, void *out, int os)
{
    const Real *from_real = in;
    const Complex *from = in;
    Real *to_real = out;
    Complex *to = out;
    int n = line->n, half = n / 2 + 1;
    for (int k = 0; k < n; k++)
        values[k] = kind == FROM_REAL ? from_real[k * is] : kind == COMPLEX || k < half ? from[k * is] : conj(from[(n - k) * is]);
    if (kind == TO_REAL) { /* what stands in these places of a real array's spectrum counts for nothing */
        values[0] = creal(values[0]);
        if (n % 2 == 0)
            values[n / 2] = creal(values[n / 2]);
    }
    transform(line, values, values + n);
    for (int k = 0; k < (kind == FROM_REAL ? half : n); k++)
        if (kind == TO_REAL)
            to_real[k * os] = creal(values[k]);
        else
            to[k * os] = values[k];
}

/* Transforms all lines along `axis` that lie along the others. */
static void all_lines(const struct line *line, enum kind kind, Complex *values, Axis axis, const Axis *others, int count, const char *in, char *out)
{
    if (count == 0) {
        one_line(line, kind, values, in, axis.is, out, axis.os);
        return;
    }
    int from = kind == FROM_REAL ? sizeof(Real) : sizeof(Complex), to = kind == TO_REAL ? sizeof(Real) : sizeof(Complex);
    for (int i = 0; i < others->n; i++)
        all_lines(line, kind, values, axis, others + 1, count - 1, in + (size_t)i * others->is * from, out + (size_t)i * others->os * to);
}

/* Which strides count. */
enum strides { OF_BOTH, OF_INPUT, OF_OUTPUT };

static Axis with_strides(Axis axis, enum strides strides)
{
    if (strides == OF_INPUT)
        axis.os = axis.is;
    if (strides == OF_OUTPUT)
        axis.is = axis.os;
    return axis;
}

/* Transforms along dimension number `d`. */
static void along(const struct X(plan_s) *plan, int d, enum strides strides, const void *in, void *out)
{
    Axis others[2 * MOST_DIMENSIONS], axis = with_strides(plan->dimensions[d], strides);
    enum kind kind = strides == OF_BOTH ? plan->kind : COMPLEX;
    int count = 0, last = plan->rank - 1;
    for (int i = 0; i < plan->rank; i++)
        if (i != d) {
            others[count] = with_strides(plan->dimensions[i], strides);
            if (i == last && plan->kind != COMPLEX)
                others[count].n = others[count].n / 2 + 1;
            count++;
        }
    for (int i = 0; i < plan->many_rank; i++)
        others[count++] = with_strides(plan->many[i], strides);
    struct line *line = plan->lines[d] ? plan->lines[d] : line_of(axis.n, plan->sign);
    Complex *values = room(axis.n + work_of(line), sizeof *values);
    all_lines(line, kind, values, axis, others, count, in, out);
    free(values);
    if (line != plan->lines[d])
        line_free(line);
}

static void execute(const struct X(plan_s) *plan, void *in, void *out)
{
    int rank = plan->rank, many = plan->many_rank, done;
    if (plan->kind == COMPLEX)
        done = X(host_complex)(rank, plan->dimensions, many, plan->many, in, out, plan->sign);
    else
        done = (plan->kind == FROM_REAL ? X(host_from_real) : X(host_to_real))(rank, plan->dimensions, many, plan->many, in, out);
    if (done)
        return;
    if (plan->kind == TO_REAL)
        for (int d = 0; d < rank - 1; d++)
            along(plan, d, OF_INPUT, in, in);
    along(plan, rank - 1, OF_BOTH, in, out);
    if (plan->kind != TO_REAL)
        for (int d = rank - 2; d >= 0; d--)
            along(plan, d, OF_OUTPUT, out, out);
}

/* Whether the host does transforms, and not for reasons of a single one. */
static int is_served(void)
{
    static const Axis single = {1, 1, 1};
    Complex value = 0;
    return X(host_complex)(1, &single, 0, &single, &value, &value, FFTW_FORWARD);
}

/* Whether each line of the input lies where that of the output is. */
static int is_in_place(const struct X(plan_s) *plan)
{
    for (int i = 0; i < plan->rank + plan->many_rank; i++) {
        int is_last = i == plan->rank - 1;
        Axis axis = i < plan->rank ? plan->dimensions[i] : plan->many[i - plan->rank];
        int from = plan->kind == FROM_REAL || is_last ? axis.is : plan->kind == TO_REAL ? 2 * axis.is : axis.is;
        int to = plan->kind == FROM_REAL && !is_last ? 2 * axis.os : axis.os;
        if (axis.n > 1 && (from != to || (is_last && plan->kind != COMPLEX && from != 1)))
            return 0;
    }
    return 1;
}

static X(plan) plan(enum kind kind, int rank, const Axis *dimensions, int many_rank, const Axis *many, void *in, void *out, int sign, unsigned flags)
{
    if (rank < 1 || rank > MOST_DIMENSIONS || many_rank < 0 || many_rank > MOST_DIMENSIONS || (sign != 1 && sign != -1))
        return NULL;
    if (kind == TO_REAL && rank > 1 && (flags & FFTW_PRESERVE_INPUT))
        return NULL;
    X(plan) plan = malloc(sizeof *plan);
    if (!plan)
        return NULL;
    *plan = (struct X(plan_s)){.kind = kind, .sign = sign, .rank = rank, .many_rank = many_rank, .in = in, .out = out};
    int is_right = 1;
    for (int i = 0; i < rank; i++)
        is_right &= (plan->dimensions[i] = dimensions[i]).n > 0;
    for (int i = 0; i < many_rank; i++)
        is_right &= (plan->many[i] = many[i]).n > 0;
    if (!is_right || (in == out && !is_in_place(plan))) {
        free(plan);
        return NULL;
    }
    if (!is_served())
        for (int i = 0; i < rank; i++)
            plan->lines[i] = line_of(plan->dimensions[i].n, sign);
    return plan;
}

/* The strides of arrays that are parts of larger ones; without those the arrays are whole, `last` numbers of the last dimension. */
static X(plan) plan_many(enum kind kind, int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist, void *out, const int *onembed,
                         int ostride, int odist, int sign, unsigned flags)
{
    Axis dimensions[MOST_DIMENSIONS], many = {howmany, idist, odist};
    if (rank < 1 || rank > MOST_DIMENSIONS)
        return NULL;
    int half = n[rank - 1] / 2 + 1, padded = in == out ? 2 * half : n[rank - 1];
    int last_in = kind == COMPLEX ? n[rank - 1] : kind == TO_REAL ? half : padded;
    int last_out = kind == COMPLEX ? n[rank - 1] : kind == FROM_REAL ? half : padded;
    for (int d = rank - 1; d >= 0; d--) {
        dimensions[d] = (Axis){n[d], istride, ostride};
        istride *= inembed ? inembed[d] : d == rank - 1 ? last_in : n[d];
        ostride *= onembed ? onembed[d] : d == rank - 1 ? last_out : n[d];
    }
    return plan(kind, rank, dimensions, 1, &many, in, out, sign, flags);
}

X(plan) X(plan_dft)(int rank, const int *n, Complex *in, Complex *out, int sign, unsigned flags)
{
    return plan_many(COMPLEX, rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, sign, flags);
}

X(plan) X(plan_dft_1d)(int n, Complex *in, Complex *out, int sign, unsigned flags)
{
    return X(plan_dft)(1, &n, in, out, sign, flags);
}

X(plan) X(plan_dft_2d)(int n0, int n1, Complex *in, Complex *out, int sign, unsigned flags)
{
    return X(plan_dft)(2, (int[]){n0, n1}, in, out, sign, flags);
}

X(plan) X(plan_dft_3d)(int n0, int n1, int n2, Complex *in, Complex *out, int sign, unsigned flags)
{
    return X(plan_dft)(3, (int[]){n0, n1, n2}, in, out, sign, flags);
}

X(plan) X(plan_dft_r2c)(int rank, const int *n, Real *in, Complex *out, unsigned flags)
{
    return plan_many(FROM_REAL, rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, FFTW_FORWARD, flags);
}

X(plan) X(plan_dft_r2c_1d)(int n, Real *in, Complex *out, unsigned flags)
{
    return X(plan_dft_r2c)(1, &n, in, out, flags);
}

X(plan) X(plan_dft_r2c_2d)(int n0, int n1, Real *in, Complex *out, unsigned flags)
{
    return X(plan_dft_r2c)(2, (int[]){n0, n1}, in, out, flags);
}

X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, Real *in, Complex *out, unsigned flags)
{
    return X(plan_dft_r2c)(3, (int[]){n0, n1, n2}, in, out, flags);
}

X(plan) X(plan_dft_c2r)(int rank, const int *n, Complex *in, Real *out, unsigned flags)
{
    return plan_many(TO_REAL, rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, FFTW_BACKWARD, flags);
}

X(plan) X(plan_dft_c2r_1d)(int n, Complex *in, Real *out, unsigned flags)
{
    return X(plan_dft_c2r)(1, &n, in, out, flags);
}

X(plan) X(plan_dft_c2r_2d)(int n0, int n1, Complex *in, Real *out, unsigned flags)
{
    return X(plan_dft_c2r)(2, (int[]){n0, n1}, in, out, flags);
}

X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, Complex *in, Real *out, unsigned flags)
{
    return X(plan_dft_c2r)(3, (int[]){n0, n1, n2}, in, out, flags);
}

X(plan) X(plan_many_dft)(int rank, const int *n, int howmany, Complex *in, const int *inembed, int istride, int idist, Complex *out, const int *onembed,
                         int ostride, int odist, int sign, unsigned flags)
{
    return plan_many(COMPLEX, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, sign, flags);
}

X(plan) X(plan_many_dft_r2c)(int rank, const int *n, int howmany, Real *in, const int *inembed, int istride, int idist, Complex *out, const int *onembed,
                             int ostride, int odist, unsigned flags)
{
    return plan_many(FROM_REAL, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, FFTW_FORWARD, flags);
}

X(plan) X(plan_many_dft_c2r)(int rank, const int *n, int howmany, Complex *in, const int *inembed, int istride, int idist, Real *out, const int *onembed,
                             int ostride, int odist, unsigned flags)
{
    return plan_many(TO_REAL, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, FFTW_BACKWARD, flags);
}

X(plan) X(plan_guru_dft)(int rank, const Axis *dims, int howmany_rank, const Axis *howmany_dims, Complex *in, Complex *out, int sign, unsigned flags)
{
    return plan(COMPLEX, rank, dims, howmany_rank, howmany_dims, in, out, sign, flags);
}

X(plan) X(plan_guru_dft_r2c)(int rank, const Axis *dims, int howmany_rank, const Axis *howmany_dims, Real *in, Complex *out, unsigned flags)
{
    return plan(FROM_REAL, rank, dims, howmany_rank, howmany_dims, in, out, FFTW_FORWARD, flags);
}

X(plan) X(plan_guru_dft_c2r)(int rank, const Axis *dims, int howmany_rank, const Axis *howmany_dims, Complex *in, Real *out, unsigned flags)
{
    return plan(TO_REAL, rank, dims, howmany_rank, howmany_dims, in, out, FFTW_BACKWARD, flags);
}

void X(execute)(const X(plan) plan)
{
    execute(plan, plan->in, plan->out);
}

void X(execute_dft)(const X(plan) plan, Complex *in, Complex *out)
{
    execute(plan, in, out);
}

void X(execute_dft_r2c)(const X(plan) plan, Real *in, Complex *out)
{
    execute(plan, in, out);
}

void X(execute_dft_c2r)(const X(plan) plan, Complex *in, Real *out)
{
    execute(plan, in, out);
}

void X(destroy_plan)(X(plan) plan)
{
    for (int i = 0; plan && i < plan->rank; i++)
        line_free(plan->lines[i]);
    free(plan);
}

void X(cleanup)(void) {}

void *X(malloc)(size_t bytes)
{
    return aligned_alloc(64, bytes > (size_t)-64 ? bytes : (bytes + 63) & (size_t)-64);
}

Real *X(alloc_real)(size_t n)
{
    return n > (size_t)-1 / sizeof(Real) ? NULL : X(malloc)(n * sizeof(Real));
}

Complex *X(alloc_complex)(size_t n)
{
    return n > (size_t)-1 / sizeof(Complex) ? NULL : X(malloc)(n * sizeof(Complex));
}

void X(free)(void *at)
{
    free(at);
}

int X(init_threads)(void)
{
    return 1;
}

void X(plan_with_nthreads)(int threads)
{
    (void)threads;
}

void X(cleanup_threads)(void) {}
