/* A byte in a block of bytes. */
#include "strings.h"
#include <rankine/weak.h>

static inline v128_t in(const unsigned char *block, v128_t wanted) { return wasm_i8x16_eq(wasm_v128_load(block), wanted); }

/* Not all zero where a byte of four blocks is wanted, which lie in a page together. */
static inline v128_t in_four(const unsigned char *at, v128_t wanted) {
	v128_t low = wasm_v128_or(in(at, wanted), in(at + BLOCK, wanted));
	return wasm_v128_or(low, wasm_v128_or(in(at + 2 * BLOCK, wanted), in(at + 3 * BLOCK, wanted)));
}

WEAK void *memchr(const void *bytes, int byte, size_t count) {
	if (count == 0)
		return NULL;
	v128_t wanted = wasm_i8x16_splat((int8_t)byte);
	const unsigned char *block = aligned(bytes);
	size_t before = (size_t)bytes - (size_t)block;
	/* How far the bytes reach from this block on; more than there is memory is all of it. */
	size_t left = count > SIZE_MAX - before ? SIZE_MAX : count + before;
	unsigned found = equals(wasm_v128_load(block), wanted) >> before << before;
	while (found == 0 && left > BLOCK) {
		block += BLOCK;
		left -= BLOCK;
		while ((size_t)block % (4 * BLOCK) == 0 && left > 4 * BLOCK && !wasm_v128_any_true(in_four(block, wanted))) {
			block += 4 * BLOCK;
			left -= 4 * BLOCK;
		}
		found = equals(wasm_v128_load(block), wanted);
	}
	return found != 0 && first(found) < left ? (void *)(block + first(found)) : NULL;
}

void *memrchr(const void *, int, size_t);
WEAK void *memrchr(const void *bytes, int byte, size_t count) {
	if (count == 0)
		return NULL;
	v128_t wanted = wasm_i8x16_splat((int8_t)byte);
	const unsigned char *begin = bytes, *last_byte = begin + count - 1;
	const unsigned char *block = aligned(last_byte);
	unsigned found = equals(wasm_v128_load(block), wanted) & ((2u << (last_byte - block)) - 1);
	while (found == 0 && block > begin) {
		block -= BLOCK;
		found = equals(wasm_v128_load(block), wanted);
	}
	return found != 0 && block + last(found) >= begin ? (void *)(block + last(found)) : NULL;
}
