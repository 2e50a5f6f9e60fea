/* A string in a string: places are tried where its first and its last character are. Where that happens too often for nothing,
 * the C library's memmem goes on, whose time is linear. */
#define _GNU_SOURCE
#include "strings.h"
#include <rankine/weak.h>

/* Of the string that is searched so much is looked at before its end is looked for further on. */
#define WINDOW 1024

/* Where first and last character are right. */
static inline v128_t places_of(const char *first, const char *last, v128_t begins, v128_t ends) {
	return wasm_v128_and(wasm_i8x16_eq(wasm_v128_load(first), begins), wasm_i8x16_eq(wasm_v128_load(last), ends));
}

static inline v128_t four_could(const char *first, const char *last, v128_t begins, v128_t ends) {
	v128_t low = wasm_v128_or(places_of(first, last, begins, ends), places_of(first + BLOCK, last + BLOCK, begins, ends));
	first += 2 * BLOCK;
	last += 2 * BLOCK;
	return wasm_v128_or(low, wasm_v128_or(places_of(first, last, begins, ends), places_of(first + BLOCK, last + BLOCK, begins, ends)));
}

WEAK char *strstr(const char *string, const char *wanted) {
	size_t length = strlen(wanted);
	if (length == 0)
		return (char *)string;
	if (length == 1)
		return strchr(string, *wanted);
	v128_t begins = wasm_i8x16_splat(wanted[0]), ends = wasm_i8x16_splat(wanted[length - 1]);
	size_t in_vain = 0;
	for (;;) {
		size_t here = strnlen(string, WINDOW + length - 1);
		if (here < length)
			return NULL;
		size_t places = here - length + 1;
		/* A load at the last place that this loop has ends with the last byte of the string, or before. */
		for (; places >= BLOCK; places -= BLOCK, string += BLOCK) {
			while (places >= 4 * BLOCK && !wasm_v128_any_true(four_could(string, string + length - 1, begins, ends))) {
				places -= 4 * BLOCK;
				string += 4 * BLOCK;
			}
			if (places < BLOCK)
				break;
			v128_t could = places_of(string, string + length - 1, begins, ends);
			if (!wasm_v128_any_true(could))
				continue;
			for (unsigned bits = wasm_i8x16_bitmask(could); bits != 0; bits &= bits - 1) {
				const char *place = string + first(bits);
				if (memcmp(place, wanted, length) == 0)
					return (char *)place;
				in_vain++;
			}
		}
		for (; places > 0; places--, string++)
			if (*string == *wanted && memcmp(string, wanted, length) == 0)
				return (char *)string;
		if (in_vain > WINDOW / 8)
			return memmem(string, strlen(string), wanted, length);
		in_vain = 0;
	}
}
