/* What functions on strings and blocks of bytes share: 16 bytes at a time. A load may reach beyond the string, but never beyond
 * the memory: it stays in an aligned block of 16 bytes, or in a page. */
#ifndef RANKINE_STRINGS_H
#define RANKINE_STRINGS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define BLOCK ((size_t)16)
#define PAGE ((size_t)65536)

static inline const unsigned char *aligned(const void *at) { return (const unsigned char *)((size_t)at & ~(BLOCK - 1)); }

/* A bit for each byte that is zero. */
static inline unsigned zeros(v128_t bytes) { return wasm_i8x16_bitmask(wasm_i8x16_eq(bytes, wasm_i8x16_const_splat(0))); }
static inline unsigned equals(v128_t bytes, v128_t to) { return wasm_i8x16_bitmask(wasm_i8x16_eq(bytes, to)); }
static inline unsigned first(unsigned bits) { return (unsigned)__builtin_ctz(bits); }
static inline unsigned last(unsigned bits) { return 31u - (unsigned)__builtin_clz(bits); }

/* How many blocks may be loaded from an address on before a page ends. */
static inline size_t blocks_in_page(const void *at) { return (PAGE - ((size_t)at & (PAGE - 1))) / BLOCK; }

/* Copies; few bytes by loads and stores that may overlap, as the way to the host's copy is long. */
static inline void copy(char *to, const char *from, size_t count) {
	if (count > 4 * BLOCK) {
		__builtin_memcpy(to, from, count);
	} else if (count >= BLOCK) {
		v128_t end = wasm_v128_load(from + count - BLOCK);
		for (size_t at = 0; at + BLOCK <= count; at += BLOCK)
			wasm_v128_store(to + at, wasm_v128_load(from + at));
		wasm_v128_store(to + count - BLOCK, end);
	} else if (count >= 8) {
		uint64_t begin, end;
		__builtin_memcpy(&begin, from, 8);
		__builtin_memcpy(&end, from + count - 8, 8);
		__builtin_memcpy(to, &begin, 8);
		__builtin_memcpy(to + count - 8, &end, 8);
	} else if (count >= 4) {
		uint32_t begin, end;
		__builtin_memcpy(&begin, from, 4);
		__builtin_memcpy(&end, from + count - 4, 4);
		__builtin_memcpy(to, &begin, 4);
		__builtin_memcpy(to + count - 4, &end, 4);
	} else {
		for (; count > 0; count--)
			*to++ = *from++;
	}
}

#endif
