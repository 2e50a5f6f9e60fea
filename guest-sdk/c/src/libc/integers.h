/* Integers of any length, for what 128 bits don't decide. */
#ifndef RANKINE_INTEGERS_H
#define RANKINE_INTEGERS_H

#include <stdint.h>
#include <string.h>

/* The lowest word comes first. Those of a quadruple number may have 39,000 bits. */
#define WORDS 1240
struct integer {
	int count;
	uint32_t words[WORDS];
};

static inline void multiply(struct integer *integer, uint32_t by, uint32_t more) {
	uint64_t carried = more;
	for (int at = 0; at < integer->count; at++) {
		carried += (uint64_t)integer->words[at] * by;
		integer->words[at] = (uint32_t)carried;
		carried >>= 32;
	}
	if (carried != 0)
		integer->words[integer->count++] = (uint32_t)carried;
}

static inline void multiply_by_fives(struct integer *integer, int power) {
	for (; power >= 13; power -= 13)
		multiply(integer, 1220703125, 0);
	for (; power > 0; power--)
		multiply(integer, 5, 0);
}

static inline int length(const struct integer *integer) {
	return integer->count * 32 - __builtin_clz(integer->words[integer->count - 1]);
}

static inline void shift(struct integer *integer, int bits) {
	int words = bits / 32, rest = bits % 32;
	for (int at = integer->count - 1; at >= 0; at--)
		integer->words[at + words] = integer->words[at];
	memset(integer->words, 0, (size_t)words * sizeof(uint32_t));
	integer->count += words;
	if (rest != 0)
		multiply(integer, (uint32_t)1 << rest, 0);
}

static inline int compare(const struct integer *left, const struct integer *right) {
	if (left->count != right->count)
		return left->count < right->count ? -1 : 1;
	for (int at = left->count - 1; at >= 0; at--)
		if (left->words[at] != right->words[at])
			return left->words[at] < right->words[at] ? -1 : 1;
	return 0;
}

static inline void subtract(struct integer *from, const struct integer *what) {
	int64_t borrowed = 0;
	for (int at = 0; at < from->count; at++) {
		borrowed += (int64_t)from->words[at] - (at < what->count ? what->words[at] : 0);
		from->words[at] = (uint32_t)borrowed;
		borrowed >>= 32;
	}
	while (from->count > 0 && from->words[from->count - 1] == 0)
		from->count--;
}

/* Divides by a number of 32 bits; what is left. */
static inline uint32_t divide(struct integer *integer, uint32_t by) {
	uint64_t left = 0;
	for (int at = integer->count - 1; at >= 0; at--) {
		left = left << 32 | integer->words[at];
		integer->words[at] = (uint32_t)(left / by);
		left %= by;
	}
	if (integer->count > 0 && integer->words[integer->count - 1] == 0)
		integer->count--;
	return (uint32_t)left;
}

#endif
