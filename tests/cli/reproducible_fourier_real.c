// With --reproducible the guest itself does the Fourier transforms of real arrays, and as well.
// ranks: 1 2
// run: --reproducible
// cc: -O1 -lfftw3 -lfftw3f -lm
#include "../guests/fourier/real.c"
