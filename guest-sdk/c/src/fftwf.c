// fftw3.h in single precision.

#include <complex.h>
#include <fftw3.h>

typedef float Real;
typedef float _Complex Complex;
#define X(name) fftwf_##name
#define HOST_COMPLEX "dft_c2c"
#define HOST_FROM_REAL "dft_s2c"
#define HOST_TO_REAL "dft_c2s"

#include "fourier.h"
