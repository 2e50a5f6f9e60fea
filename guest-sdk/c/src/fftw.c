// fftw3.h in double precision.

#include <complex.h>
#include <fftw3.h>

typedef double Real;
typedef double _Complex Complex;
#define X(name) fftw_##name
#define HOST_COMPLEX "dft_z2z"
#define HOST_FROM_REAL "dft_d2z"
#define HOST_TO_REAL "dft_z2d"

#include "fourier.h"
