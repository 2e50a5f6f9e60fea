// With --reproducible the guest itself does the Fourier transforms of complex arrays, and as well.
// ranks: 1 2
// run: --reproducible
// cc: -O1 -lfftw3 -lm
#include "../guests/fourier/complex.c"
