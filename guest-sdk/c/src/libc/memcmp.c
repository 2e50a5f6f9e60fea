/* Blocks of bytes compared. */
#include "strings.h"
#include <rankine/weak.h>

static inline int order(uint64_t left, uint64_t right) { return left < right ? -1 : left > right; }

static inline uint64_t load_8(const unsigned char *at) {
	uint64_t bytes;
	__builtin_memcpy(&bytes, at, sizeof bytes);
	return __builtin_bswap64(bytes);
}

static inline uint32_t load_4(const unsigned char *at) {
	uint32_t bytes;
	__builtin_memcpy(&bytes, at, sizeof bytes);
	return __builtin_bswap32(bytes);
}

/* The bits in which 16 bytes differ, and those of two blocks. */
static inline v128_t differences(const unsigned char *left, const unsigned char *right) {
	return wasm_v128_xor(wasm_v128_load(left), wasm_v128_load(right));
}

static inline v128_t two(const unsigned char *left, const unsigned char *right) {
	return wasm_v128_or(differences(left, right), differences(left + BLOCK, right + BLOCK));
}

/* The order of 16 bytes; 0 if they are equal. */
static inline int order_of_blocks(const unsigned char *left, const unsigned char *right) {
	v128_t differ = differences(left, right);
	if (!wasm_v128_any_true(differ))
		return 0;
	unsigned at = first(~zeros(differ));
	return left[at] - right[at];
}

WEAK int memcmp(const void *one, const void *other, size_t count) {
	const unsigned char *left = one, *right = other;
	if (count >= BLOCK) {
		int found;
		size_t rest = count - BLOCK;
		while (rest >= 4 * BLOCK && !wasm_v128_any_true(wasm_v128_or(two(left, right), two(left + 2 * BLOCK, right + 2 * BLOCK)))) {
			rest -= 4 * BLOCK;
			left += 4 * BLOCK;
			right += 4 * BLOCK;
		}
		for (; rest >= BLOCK; rest -= BLOCK, left += BLOCK, right += BLOCK)
			if ((found = order_of_blocks(left, right)) != 0)
				return found;
		if ((found = order_of_blocks(left, right)) != 0)
			return found;
		return order_of_blocks(left + rest, right + rest);
	}
	/* Two loads that may overlap. */
	if (count >= 8) {
		int found = order(load_8(left), load_8(right));
		return found != 0 ? found : order(load_8(left + count - 8), load_8(right + count - 8));
	}
	if (count >= 4) {
		int found = order(load_4(left), load_4(right));
		return found != 0 ? found : order(load_4(left + count - 4), load_4(right + count - 4));
	}
	for (; count > 0; count--, left++, right++)
		if (*left != *right)
			return *left - *right;
	return 0;
}

int bcmp(const void *, const void *, size_t);
WEAK int bcmp(const void *one, const void *other, size_t count) { return memcmp(one, other, count); }
