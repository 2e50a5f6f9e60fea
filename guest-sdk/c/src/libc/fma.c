/* fma and fmaf: one rounding. Most processors have an instruction for it, which WebAssembly offers as one that may round twice:
 * a number tells whether it does here. Where it does, integers compute the sum. */
#include "decimal.h"
#include <float.h>
#include <math.h>
#include <rankine/weak.h>
#include <string.h>
#ifdef __wasm__
#include <wasm_simd128.h>

#define RELAXED __attribute__((target("relaxed-simd")))

/* The square of 1 + 2^-27 less what a rounded one has: what is left is 0 where the product is rounded. */
RELAXED static bool look(void) {
	v128_t factor = wasm_f64x2_splat(1 + 0x1p-27), less = wasm_f64x2_splat(-(1 + 0x1p-26));
	v128_t narrow = wasm_f32x4_splat(1 + 0x1p-12f), narrow_less = wasm_f32x4_splat(-(1 + 0x1p-11f));
	return wasm_f64x2_extract_lane(wasm_f64x2_relaxed_madd(factor, factor, less), 0) == 0x1p-54 &&
	       wasm_f32x4_extract_lane(wasm_f32x4_relaxed_madd(narrow, narrow, narrow_less), 0) == 0x1p-24f;
}

/* Whether the instruction rounds once. */
static inline bool rounds_once(void) {
	static signed char known;
	if (known == 0)
		known = look() ? 1 : -1;
	return known > 0;
}

RELAXED static inline double madd(double x, double y, double z) {
	return wasm_f64x2_extract_lane(wasm_f64x2_relaxed_madd(wasm_f64x2_splat(x), wasm_f64x2_splat(y), wasm_f64x2_splat(z)), 0);
}

RELAXED static inline float maddf(float x, float y, float z) {
	return wasm_f32x4_extract_lane(wasm_f32x4_relaxed_madd(wasm_f32x4_splat(x), wasm_f32x4_splat(y), wasm_f32x4_splat(z)), 0);
}
#else
#define RELAXED
static bool rounds_once(void) { return false; }
static double madd(double x, double y, double z) { return x * y + z; }
static float maddf(float x, float y, float z) { return x * y + z; }
#endif

/* A finite number that is not zero: an integer of 53 bits, the first one set, times a power of two. */
struct part {
	uint64_t mantissa;
	int power;
	bool is_negative;
};

static inline struct part part_of(double number) {
	uint64_t bits;
	__builtin_memcpy(&bits, &number, sizeof bits);
	struct part part = {bits & (((uint64_t)1 << 52) - 1), (int)(bits >> 52 & 0x7ff), bits >> 63};
	if (part.power == 0) {
		int shift = __builtin_clzll(part.mantissa) - 11;
		part.mantissa <<= shift;
		part.power = 1 - shift;
	} else {
		part.mantissa |= (uint64_t)1 << 52;
	}
	part.power -= 1075;
	return part;
}

/* Shifts to the left by less than 64. */
static inline struct wide shifted(struct wide number, int by) {
	return (struct wide){number.high << by | number.low >> 1 >> (63 - by), number.low << by};
}

/* Shifts to the right; a last bit stands for all that are lost. */
static inline struct wide lowered(struct wide number, int by) {
	if (by == 0)
		return number;
	if (by >= 128)
		return (struct wide){0, 1};
	if (by >= 64) {
		bool lost = number.low != 0 || (by > 64 && number.high << (128 - by) != 0);
		return (struct wide){0, number.high >> (by - 64) | lost};
	}
	return (struct wide){number.high >> by, number.high << (64 - by) | number.low >> by | (number.low << (64 - by) != 0)};
}

static inline bool is_less(struct wide left, struct wide right) {
	return left.high != right.high ? left.high < right.high : left.low < right.low;
}

static double exact(double x, double y, double z) {
	static const struct format format = {53, 1023, 0};
	if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
		return x * y + z;
	if (!isfinite(z))
		return z + z;
	if (z == 0)
		return x * y;
	struct part left = part_of(x), right = part_of(y), more = part_of(z);
	bool is_negative = left.is_negative != right.is_negative;
	/* Both with the second bit as the first that is set, so that a sum has room. */
	struct wide product = wide_product(left.mantissa, right.mantissa);
	int power = left.power + right.power, shift = __builtin_clzll(product.high) - 1;
	product = shifted(product, shift);
	power -= shift;
	struct wide summand = {more.mantissa << 10, 0};
	int more_power = more.power - 74;
	if (power > more_power) {
		summand = lowered(summand, power - more_power);
	} else {
		product = lowered(product, more_power - power);
		power = more_power;
	}
	struct wide sum;
	if (is_negative == more.is_negative) {
		sum.low = product.low + summand.low;
		sum.high = product.high + summand.high + (sum.low < product.low);
	} else {
		if (is_less(product, summand)) {
			struct wide larger = summand;
			summand = product;
			product = larger;
			is_negative = !is_negative;
		}
		sum.low = product.low - summand.low;
		sum.high = product.high - summand.high - (product.low < summand.low);
	}
	if ((sum.high | sum.low) == 0)
		return 0;
	if (sum.high == 0) {
		sum = (struct wide){sum.low, 0};
		power -= 64;
	}
	shift = __builtin_clzll(sum.high);
	sum = shifted(sum, shift);
	uint64_t bits = rounded(&format, sum.high, power - shift + 127, sum.low != 0).bits | (uint64_t)is_negative << 63;
	double result;
	__builtin_memcpy(&result, &bits, sizeof result);
	return result;
}

/* In doubles the product is exact, and a sum whose last bit stands for all that are lost is rounded right. */
static float exact_float(float x, float y, float z) {
	double product = (double)x * y, sum = product + z;
	uint64_t bits;
	__builtin_memcpy(&bits, &sum, sizeof bits);
	double of_z = sum - product, lost = (product - (sum - of_z)) + (z - of_z);
	if (isfinite(sum) && lost != 0 && !(bits & 1)) {
		bits += (lost > 0) == (sum > 0) ? 1 : (uint64_t)-1;
		__builtin_memcpy(&sum, &bits, sizeof sum);
	}
	return (float)sum;
}

RELAXED WEAK double fma(double x, double y, double z) { return rounds_once() ? madd(x, y, z) : exact(x, y, z); }

RELAXED WEAK float fmaf(float x, float y, float z) { return rounds_once() ? maddf(x, y, z) : exact_float(x, y, z); }
