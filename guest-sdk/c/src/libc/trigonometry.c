/* sin and cos, and those of floats, without jumps that depend on the quadrant. An angle is brought to within a quarter of pi
 * of zero, where polynomials that differ least from sine and cosine are added up, both, and one is chosen. Angles that are very
 * large, or very near to a multiple of a quarter turn, are brought there by the C library. A quarter turn in parts, whose
 * multiples are exact, is Cody's and Waite's (Software Manual for the Elementary Functions, 1980). */
#define _GNU_SOURCE
#include <math.h>
#include <rankine/weak.h>
#include <stdint.h>
#include <string.h>

/* A quarter turn: twice 33 bits, whose products with an integer of 20 are exact, and the rest. */
#define QUARTER_1 0x1.921fb544p+0
#define QUARTER_2 0x1.0b4611a6p-34
#define QUARTER_3 0x1.3198a2e037073p-69
#define QUARTERS_IN_ONE 0x1.45f306dc9c883p-1
/* Up to here an angle has less than 2^19 quarter turns. */
#define LARGE 0x1.9p+19
/* What is left has all its bits if it is not below this: then the first difference is larger than what is taken from it. */
#define SMALL 0x1p-13

/* The C library's way. */
int __rem_pio2(double, double *);

/* An angle within a quarter of pi of zero, in two parts, and how many quarter turns were taken from it. */
struct angle {
	double high, low;
	unsigned quarters;
};

static __attribute__((noinline)) struct angle reduced_slowly(double x) {
	double parts[2];
	unsigned quarters = (unsigned)__rem_pio2(x, parts);
	return (struct angle){parts[0], parts[1], quarters};
}

static inline struct angle reduced(double x) {
	if (!(__builtin_fabs(x) < LARGE))
		return reduced_slowly(x);
	double quarters = __builtin_rint(x * QUARTERS_IN_ONE);
	double first = x - quarters * QUARTER_1;
	double second = quarters * QUARTER_2, left = first - second;
	/* What was lost, and the rest of the quarter turns. */
	double rest = quarters * QUARTER_3 - ((first - left) - second);
	double high = left - rest;
	if (__builtin_fabs(high) < SMALL && quarters != 0)
		return reduced_slowly(x);
	return (struct angle){high, (left - high) - rest, (unsigned)(int)quarters};
}

static inline double sine(struct angle angle) {
	double x = angle.high, z = x * x, z2 = z * z;
	double sum = (-0x1.5555555555549p-3 + z * 0x1.111111110f830p-7) + z2 * (-0x1.a01a019c07e37p-13 + z * 0x1.71de356ef0bf7p-19) +
		     z2 * z2 * (-0x1.ae5e5f1af12c2p-26 + z * 0x1.5d90deb0ff792p-33);
	return x + (x * z * sum + (angle.low - .5 * z * angle.low));
}

static inline double cosine(struct angle angle) {
	double x = angle.high, z = x * x, z2 = z * z, half = .5 * z, most = 1 - half;
	double sum = (0x1.555555555554cp-5 + z * -0x1.6c16c16c1512dp-10) + z2 * (0x1.a01a019ca9898p-16 + z * -0x1.27e4f803c272dp-22) +
		     z2 * z2 * (0x1.1ee9e78c46881p-29 + z * -0x1.8fac45e602451p-37);
	return most + (((1 - most) - half) + (z2 * sum - x * angle.low));
}

/* The sine after so many quarter turns. */
static inline double turned(double sine, double cosine, unsigned quarters) {
	double value = quarters & 1 ? cosine : sine;
	uint64_t bits;
	__builtin_memcpy(&bits, &value, sizeof bits);
	bits ^= (uint64_t)(quarters & 2) << 62;
	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

WEAK double sin(double x) {
	/* As small as this, it is its own sine; minus zero is, too. */
	if (__builtin_fabs(x) < 0x1p-27)
		return x;
	if (!isfinite(x))
		return x - x;
	struct angle angle = reduced(x);
	return turned(sine(angle), cosine(angle), angle.quarters);
}

WEAK double cos(double x) {
	if (!isfinite(x))
		return x - x;
	struct angle angle = reduced(x);
	return turned(sine(angle), cosine(angle), angle.quarters + 1);
}

WEAK void sincos(double x, double *of_sine, double *of_cosine) {
	if (!isfinite(x)) {
		*of_sine = *of_cosine = x - x;
		return;
	}
	struct angle angle = reduced(x);
	double own = sine(angle), other = cosine(angle);
	*of_sine = __builtin_fabs(x) < 0x1p-27 ? x : turned(own, other, angle.quarters);
	*of_cosine = turned(own, other, angle.quarters + 1);
}

/* In doubles an angle of a float needs one part. */
static inline struct angle reduced_float(float x) {
	double quarters = __builtin_rint(x * QUARTERS_IN_ONE);
	return (struct angle){x - quarters * QUARTER_1 - quarters * (QUARTER_2 + QUARTER_3), 0, (unsigned)(int)quarters};
}

static inline double sine_float(double x) {
	double z = x * x, sum = (-0x1.5555554ca4593p-3 + z * 0x1.111108866448fp-7) + z * z * (-0x1.a00f90b055286p-13 + z * 0x1.6cd539094449dp-19);
	return x + x * z * sum;
}

static inline double cosine_float(double x) {
	double z = x * x, sum = (0x1.5555554f3f291p-5 + z * -0x1.6c16b8883b110p-10) + z * z * (0x1.a0111510ef6ffp-16 + z * -0x1.2428844d9ab9cp-22);
	return 1 - .5 * z + z * z * sum;
}

WEAK float sinf(float x) {
	if (!(__builtin_fabsf(x) < (float)LARGE))
		return (float)sin(x);
	if (__builtin_fabsf(x) < 0x1p-12f)
		return x;
	struct angle angle = reduced_float(x);
	return (float)turned(sine_float(angle.high), cosine_float(angle.high), angle.quarters);
}

WEAK float cosf(float x) {
	if (!(__builtin_fabsf(x) < (float)LARGE))
		return (float)cos(x);
	struct angle angle = reduced_float(x);
	return (float)turned(sine_float(angle.high), cosine_float(angle.high), angle.quarters + 1);
}

WEAK void sincosf(float x, float *of_sine, float *of_cosine) {
	*of_sine = sinf(x);
	*of_cosine = cosf(x);
}
