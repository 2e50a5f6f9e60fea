/* Fourier transforms by the interface of FFTW 3: complex and real ones in any number of dimensions, many at once, of double (fftw_) and single (fftwf_)
   precision. Rankine computes them in the host where it may; else code that is linked with the program does.

   Plans cost nothing to make, so FFTW_MEASURE and FFTW_PATIENT mean FFTW_ESTIMATE, and there is no wisdom. What is missing (transforms of real numbers to real
   ones, split arrays) needs FFTW itself, compiled with rankine cc: its header and library come first if -I and -L name them. */
#ifndef FFTW3_H
#define FFTW3_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Complex numbers are C's own if complex.h was included before. */
#if defined(_Complex_I) && defined(complex) && defined(I)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif

#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)

#define FFTW_MEASURE (0U)
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_CONSERVE_MEMORY (1U << 2)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)
#define FFTW_WISDOM_ONLY (1U << 21)

/* A dimension: its length, and the strides of input and output in elements. */
struct rankine_fftw_dimension {
    int n;
    int is;
    int os;
};

/* A planner returns NULL for what can't be done: a length below 1, too many dimensions, results in place of an input that lies otherwise, an input of several
   dimensions that is half a spectrum and to be preserved. */
#define RANKINE_FFTW(X, R, C)                                                                                                                                  \
    typedef struct X(plan_s) * X(plan);                                                                                                                        \
    typedef struct rankine_fftw_dimension X(iodim);                                                                                                            \
                                                                                                                                                               \
    X(plan) X(plan_dft)(int rank, const int *n, C *in, C *out, int sign, unsigned flags);                                                                      \
    X(plan) X(plan_dft_1d)(int n, C *in, C *out, int sign, unsigned flags);                                                                                    \
    X(plan) X(plan_dft_2d)(int n0, int n1, C *in, C *out, int sign, unsigned flags);                                                                           \
    X(plan) X(plan_dft_3d)(int n0, int n1, int n2, C *in, C *out, int sign, unsigned flags);                                                                   \
    X(plan) X(plan_dft_r2c)(int rank, const int *n, R *in, C *out, unsigned flags);                                                                            \
    X(plan) X(plan_dft_r2c_1d)(int n, R *in, C *out, unsigned flags);                                                                                          \
    X(plan) X(plan_dft_r2c_2d)(int n0, int n1, R *in, C *out, unsigned flags);                                                                                 \
    X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, R *in, C *out, unsigned flags);                                                                         \
    X(plan) X(plan_dft_c2r)(int rank, const int *n, C *in, R *out, unsigned flags);                                                                            \
    X(plan) X(plan_dft_c2r_1d)(int n, C *in, R *out, unsigned flags);                                                                                          \
    X(plan) X(plan_dft_c2r_2d)(int n0, int n1, C *in, R *out, unsigned flags);                                                                                 \
    X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, C *in, R *out, unsigned flags);                                                                         \
                                                                                                                                                               \
    X(plan) X(plan_many_dft)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, C *out, const int *onembed, int ostride,  \
                             int odist, int sign, unsigned flags);                                                                                             \
    X(plan) X(plan_many_dft_r2c)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist, C *out, const int *onembed,           \
                                 int ostride, int odist, unsigned flags);                                                                                      \
    X(plan) X(plan_many_dft_c2r)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, R *out, const int *onembed,           \
                                 int ostride, int odist, unsigned flags);                                                                                      \
                                                                                                                                                               \
    X(plan) X(plan_guru_dft)(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, C *in, C *out, int sign, unsigned flags);       \
    X(plan) X(plan_guru_dft_r2c)(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, R *in, C *out, unsigned flags);             \
    X(plan) X(plan_guru_dft_c2r)(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, C *in, R *out, unsigned flags);             \
                                                                                                                                                               \
    void X(execute)(const X(plan) plan);                                                                                                                       \
    void X(execute_dft)(const X(plan) plan, C *in, C *out);                                                                                                    \
    void X(execute_dft_r2c)(const X(plan) plan, R *in, C *out);                                                                                                \
    void X(execute_dft_c2r)(const X(plan) plan, C *in, R *out);                                                                                                \
    void X(destroy_plan)(X(plan) plan);                                                                                                                        \
    void X(cleanup)(void);                                                                                                                                     \
                                                                                                                                                               \
    void *X(malloc)(size_t bytes);                                                                                                                             \
    R *X(alloc_real)(size_t n);                                                                                                                                \
    C *X(alloc_complex)(size_t n);                                                                                                                             \
    void X(free)(void *at);                                                                                                                                    \
                                                                                                                                                               \
    /* Plans are executed by the thread that asks for it alone. */                                                                                             \
    int X(init_threads)(void);                                                                                                                                 \
    void X(plan_with_nthreads)(int threads);                                                                                                                   \
    void X(cleanup_threads)(void);

#define RANKINE_FFTW_DOUBLE(name) fftw_##name
#define RANKINE_FFTW_SINGLE(name) fftwf_##name
RANKINE_FFTW(RANKINE_FFTW_DOUBLE, double, fftw_complex)
RANKINE_FFTW(RANKINE_FFTW_SINGLE, float, fftwf_complex)

#ifdef __cplusplus
}
#endif

#endif
