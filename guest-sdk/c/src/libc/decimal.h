/* Numbers between binary and decimal: what strtod, scanf and printf share. */
#ifndef RANKINE_DECIMAL_H
#define RANKINE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* A product of 128 bits. */
struct wide {
	uint64_t high, low;
};

static inline struct wide wide_product(uint64_t left, uint64_t right) {
	uint64_t a = left >> 32, b = (uint32_t)left, c = right >> 32, d = (uint32_t)right;
	uint64_t low = b * d, middle = a * d + (low >> 32), other = b * c + (uint32_t)middle;
	return (struct wide){a * c + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)low};
}

/* The upper 128 bits of a product with a number of 128. */
static inline struct wide wide_scaled(struct wide number, uint64_t by) {
	struct wide high = wide_product(number.high, by);
	uint64_t carried = wide_product(number.low, by).high;
	high.low += carried;
	high.high += high.low < carried;
	return high;
}

static inline struct wide wide_doubled(struct wide number) {
	return (struct wide){number.high << 1 | number.low >> 63, number.low << 1};
}

/* The power of two in a power of ten. */
static inline int log2_of_ten(int power) { return (power * 217706) >> 16; }

/* A power of ten between FIRST_POWER and LAST_POWER: its upper 128 bits, of which the first is set, cut off, so that the power
 * is larger by less than 3 of the last one; where it is exact, by nothing. The first bit stands for 2 to the power
 * log2_of_ten. */
struct wide power_of_ten(int power);
static inline bool power_is_exact(int power) { return power >= 0 && power < 27; }

/* A binary format: digits with the first, the largest exponent, and decimal digits that can matter. */
struct format {
	int digits, largest, decimals;
};

#define SINGLE_FORMAT {24, 127, 120}
#define DOUBLE_FORMAT {53, 1023, 780}

/* Bits of the result without its sign. */
struct result {
	uint64_t bits;
	bool is_out_of_range;
};

/* The number nearest to digits, not zero, times a power of ten, where the upper bits of the product tell which, as they do as a rule
 * (strtod.c). */
bool rankine_nearest(const struct format *, uint64_t digits, int power, struct result *);

/* Rounds an integer of 64 bits, the first one set and standing for a power of two, to a format of up to 64 bits. */
static inline struct result rounded(const struct format *format, uint64_t bits, int exponent, bool has_more) {
	int smallest = 1 - format->largest, off = 64 - format->digits;
	if (exponent > format->largest)
		return (struct result){(uint64_t)(2 * format->largest + 1) << (format->digits - 1), true};
	bool is_small = exponent < smallest;
	if (is_small) {
		int more = smallest - exponent;
		if (off + more > 64)
			return (struct result){0, true};
		off += more;
	}
	uint64_t mantissa = off == 64 ? 0 : bits >> off, rest = off == 64 ? bits : bits << (64 - off);
	uint64_t half = (uint64_t)1 << 63;
	bool up = rest > half || (rest == half && (has_more || (mantissa & 1)));
	/* The first bit adds one to the exponent, and a carry makes it the next. */
	uint64_t biased = is_small ? 0 : (uint64_t)(exponent - smallest);
	uint64_t number = (biased << (format->digits - 1)) + mantissa + up;
	bool is_infinite = number >> (format->digits - 1) > (uint64_t)(2 * format->largest);
	return (struct result){number, is_infinite || (is_small && (rest != 0 || has_more))};
}

#endif
