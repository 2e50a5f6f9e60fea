/* Transforms of the host's as a guest can call them that keeps to nothing. They say whether the host did it. */
#ifndef FOURIER_H
#define FOURIER_H

#include "hostile.h"

typedef struct {
    int n, from, to;
} Axis;

#define HOST(name) __attribute__((import_module("rankine_math"), import_name(#name))) int

HOST(dft_z2z) host_z2z(int rank, const void *axes, int many_rank, const void *many, void *in, void *out, int sign);
HOST(dft_d2z) host_d2z(int rank, const void *axes, int many_rank, const void *many, void *in, void *out);
HOST(dft_z2d) host_z2d(int rank, const void *axes, int many_rank, const void *many, void *in, void *out);
HOST(dft_c2c) host_c2c(int rank, const void *axes, int many_rank, const void *many, void *in, void *out, int sign);

#endif
