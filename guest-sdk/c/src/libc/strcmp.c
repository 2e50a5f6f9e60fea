/* Strings compared. */
#include "strings.h"
#include <rankine/weak.h>

/* How many blocks of both may be loaded. */
static inline size_t blocks_of_both(const unsigned char *left, const unsigned char *right) {
	size_t one = blocks_in_page(left), other = blocks_in_page(right);
	return one < other ? one : other;
}

/* Bytes that are not zero where both strings have the same, which is not their end. */
static inline v128_t same(const unsigned char *left, const unsigned char *right) {
	v128_t one = wasm_v128_load(left);
	return wasm_v128_and(wasm_i8x16_eq(one, wasm_v128_load(right)), one);
}

/* The same of two blocks: zero where either has zero. */
static inline v128_t two(const unsigned char *left, const unsigned char *right) {
	return wasm_u8x16_min(same(left, right), same(left + BLOCK, right + BLOCK));
}

/* Compares up to so many bytes, which may be more than there are. */
static inline int compare(const unsigned char *left, const unsigned char *right, size_t most) {
	/* Most strings are short. */
	if (most >= BLOCK && blocks_of_both(left, right) > 0) {
		v128_t go_on = same(left, right);
		if (!wasm_i8x16_all_true(go_on)) {
			unsigned at = first(zeros(go_on));
			return left[at] - right[at];
		}
	}
	while (most > 0) {
		size_t blocks = blocks_of_both(left, right);
		if (blocks > most / BLOCK)
			blocks = most / BLOCK;
		size_t fours = 0;
		while (fours + 4 <= blocks && wasm_i8x16_all_true(wasm_u8x16_min(two(left, right), two(left + 2 * BLOCK, right + 2 * BLOCK)))) {
			left += 4 * BLOCK;
			right += 4 * BLOCK;
			fours += 4;
		}
		most -= fours * BLOCK;
		for (blocks -= fours; blocks > 0; blocks--, left += BLOCK, right += BLOCK, most -= BLOCK) {
			v128_t go_on = same(left, right);
			if (wasm_i8x16_all_true(go_on))
				continue;
			unsigned at = first(zeros(go_on));
			return left[at] - right[at];
		}
		/* As far as the end of a page. */
		for (size_t bytes = BLOCK; bytes > 0 && most > 0; bytes--, left++, right++, most--)
			if (*left != *right || *left == 0)
				return *left - *right;
	}
	return 0;
}

WEAK int strcmp(const char *left, const char *right) {
	return compare((const unsigned char *)left, (const unsigned char *)right, SIZE_MAX);
}

WEAK int strncmp(const char *left, const char *right, size_t most) {
	return compare((const unsigned char *)left, (const unsigned char *)right, most);
}
