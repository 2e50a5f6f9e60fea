/* A character in a string. */
#include "strings.h"
#include <rankine/weak.h>
#include <stdbool.h>

/* Zero where a byte is what is wanted, or the end. */
static inline v128_t go_on(const unsigned char *block, v128_t wanted) {
	v128_t bytes = wasm_v128_load(block);
	return wasm_u8x16_min(bytes, wasm_v128_xor(bytes, wanted));
}

/* The same of four blocks, which lie in a page together. */
static inline bool all_go_on(const unsigned char *at, v128_t wanted) {
	v128_t low = wasm_u8x16_min(go_on(at, wanted), go_on(at + BLOCK, wanted));
	v128_t high = wasm_u8x16_min(go_on(at + 2 * BLOCK, wanted), go_on(at + 3 * BLOCK, wanted));
	return wasm_i8x16_all_true(wasm_u8x16_min(low, high));
}

static inline bool begins_four(const unsigned char *block) { return (size_t)block % (4 * BLOCK) == 0; }

char *strchrnul(const char *, int);
WEAK char *strchrnul(const char *string, int character) {
	v128_t wanted = wasm_i8x16_splat((int8_t)character);
	const unsigned char *block = aligned(string);
	v128_t bytes = wasm_v128_load(block);
	unsigned found = (equals(bytes, wanted) | zeros(bytes)) >> ((size_t)string - (size_t)block);
	if (found != 0)
		return (char *)string + first(found);
	do {
		block += BLOCK;
		while (begins_four(block) && all_go_on(block, wanted))
			block += 4 * BLOCK;
	} while (wasm_i8x16_all_true(go_on(block, wanted)));
	bytes = wasm_v128_load(block);
	return (char *)block + first(equals(bytes, wanted) | zeros(bytes));
}

WEAK char *strchr(const char *string, int character) {
	char *found = strchrnul(string, character);
	return *found == (char)character ? found : NULL;
}

WEAK char *strrchr(const char *string, int character) {
	v128_t wanted = wasm_i8x16_splat((int8_t)character);
	const unsigned char *block = aligned(string), *last_block = NULL;
	size_t before = (size_t)string - (size_t)block;
	v128_t bytes = wasm_v128_load(block);
	unsigned found = equals(bytes, wanted) >> before << before, end = zeros(bytes) >> before << before;
	unsigned last_found = 0;
	while (end == 0) {
		if (found != 0) {
			last_found = found;
			last_block = block;
		}
		block += BLOCK;
		while (begins_four(block) && all_go_on(block, wanted))
			block += 4 * BLOCK;
		bytes = wasm_v128_load(block);
		found = equals(bytes, wanted);
		end = zeros(bytes);
	}
	/* Up to the end, which may be what is looked for. */
	found &= end ^ (end - 1);
	if (found == 0) {
		found = last_found;
		block = last_block;
	}
	return found != 0 ? (char *)block + last(found) : NULL;
}
