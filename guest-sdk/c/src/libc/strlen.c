/* Lengths of strings. */
#include "strings.h"
#include <rankine/weak.h>

/* The smallest bytes of four blocks, which lie in a page together. */
static inline v128_t least_of_four(const unsigned char *at) {
	v128_t low = wasm_u8x16_min(wasm_v128_load(at), wasm_v128_load(at + BLOCK));
	v128_t high = wasm_u8x16_min(wasm_v128_load(at + 2 * BLOCK), wasm_v128_load(at + 3 * BLOCK));
	return wasm_u8x16_min(low, high);
}

WEAK size_t strlen(const char *string) {
	const unsigned char *block = aligned(string);
	unsigned here = zeros(wasm_v128_load(block)) >> ((size_t)string - (size_t)block);
	if (here != 0)
		return first(here);
	for (block += BLOCK; (size_t)block % (4 * BLOCK) != 0; block += BLOCK)
		if (!wasm_i8x16_all_true(wasm_v128_load(block)))
			return (size_t)block + first(zeros(wasm_v128_load(block))) - (size_t)string;
	while (wasm_i8x16_all_true(least_of_four(block)))
		block += 4 * BLOCK;
	while (wasm_i8x16_all_true(wasm_v128_load(block)))
		block += BLOCK;
	return (size_t)block + first(zeros(wasm_v128_load(block))) - (size_t)string;
}

WEAK size_t strnlen(const char *string, size_t most) {
	const char *end = memchr(string, 0, most);
	return end != NULL ? (size_t)(end - string) : most;
}
