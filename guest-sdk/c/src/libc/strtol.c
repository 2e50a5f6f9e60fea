/* Integers of text: strtol and its kin. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <rankine/weak.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef unsigned char byte;

/* What a text says: how large, whether a minus is before it, whether it is beyond 64 bits. */
struct number {
	uint64_t size;
	bool is_negative, is_beyond;
};

/* A digit's value; of anything else it is more than any base. */
static inline unsigned value_of(byte character) {
	unsigned digit = character - '0', letter = (character | 32u) - 'a';
	return digit < 10 ? digit : letter < 26 ? letter + 10 : UINT_MAX;
}

static inline bool is_space(byte character) { return character == ' ' || (unsigned)character - '\t' < 5; }

static inline bool adds(uint64_t *size, unsigned base, unsigned digit) {
	/* So far no base brings it beyond 64 bits. */
	if (*size >> 58 == 0) {
		*size = *size * base + digit;
		return true;
	}
	uint64_t wider;
	return !__builtin_mul_overflow(*size, (uint64_t)base, &wider) && !__builtin_add_overflow(wider, (uint64_t)digit, size);
}

static inline struct number number_of(const char *text, char **end, int wanted) {
	struct number number = {0};
	const byte *at = (const byte *)text, *last = at;
	unsigned base = (unsigned)wanted;
	if (base == 1 || base > 36) {
		errno = EINVAL;
	} else {
		while (is_space(*at))
			at++;
		number.is_negative = *at == '-';
		at += *at == '-' || *at == '+';
		if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && value_of(at[2]) < 16) {
			at += 2;
			base = 16;
		}
		if (base == 0)
			base = *at == '0' ? 8 : 10;
		if (base == 10) {
			/* So many fit into 32 bits. */
			const byte *begin = at;
			uint32_t few = 0;
			for (unsigned digit; at - begin < 9 && (digit = *at - (unsigned)'0') < 10; at++)
				few = few * 10 + digit;
			number.size = few;
			last = at != begin ? at : last;
		}
		for (unsigned digit; (digit = value_of(*at)) < base; last = ++at)
			if (!number.is_beyond)
				number.is_beyond = !adds(&number.size, base, digit);
	}
	if (end != NULL)
		*end = (char *)last;
	return number;
}

/* The number of a type with this largest value and least one; one beyond is the nearest, with an error. */
static inline int64_t with_sign(struct number number, int64_t most, int64_t least) {
	uint64_t limit = number.is_negative ? -(uint64_t)least : (uint64_t)most;
	if (number.is_beyond || number.size > limit) {
		errno = ERANGE;
		return number.is_negative ? least : most;
	}
	return (int64_t)(number.is_negative ? -number.size : number.size);
}

static inline uint64_t without_sign(struct number number, uint64_t most) {
	if (number.is_beyond || number.size > most) {
		errno = ERANGE;
		return most;
	}
	return number.is_negative ? -number.size : number.size;
}

WEAK long strtol(const char *restrict text, char **restrict end, int base) {
	return (long)with_sign(number_of(text, end, base), LONG_MAX, LONG_MIN);
}
WEAK unsigned long strtoul(const char *restrict text, char **restrict end, int base) {
	return (unsigned long)without_sign(number_of(text, end, base), ULONG_MAX);
}
WEAK long long strtoll(const char *restrict text, char **restrict end, int base) {
	return with_sign(number_of(text, end, base), LLONG_MAX, LLONG_MIN);
}
WEAK unsigned long long strtoull(const char *restrict text, char **restrict end, int base) {
	return without_sign(number_of(text, end, base), ULLONG_MAX);
}
WEAK intmax_t strtoimax(const char *restrict text, char **restrict end, int base) { return strtoll(text, end, base); }
WEAK uintmax_t strtoumax(const char *restrict text, char **restrict end, int base) { return strtoull(text, end, base); }
