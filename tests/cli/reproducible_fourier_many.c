// With --reproducible the guest itself does the Fourier transforms of many arrays at once, and as well.
// ranks: 1 2
// run: --reproducible
// cc: -O1 -lfftw3 -lm
#include "../guests/fourier/many.c"
