/* Sizes of more than 32 bits. A rank's `size_t` has 32, so `malloc(n * 8LL)` would get the lower half of the number, and
 * a block that is too small. Here such a size is too large, and the allocation fails as it does when memory is out.
 *
 * Overloads do it, in C too: the C library's own function stays the one for a `size_t`, and the only one whose address
 * can be taken, since the condition of the others holds where they are called and can't be evaluated anywhere else. So
 * `malloc` can be stored, passed, compared and declared again. */
#ifndef RANKINE_WIDE_SIZES_H
#define RANKINE_WIDE_SIZES_H
#pragma clang system_header

#ifdef __cplusplus
#define RANKINE_OVERLOAD RANKINE_INLINE
extern "C++" {
#else
#define RANKINE_OVERLOAD __attribute__((__overloadable__)) RANKINE_INLINE
#endif
#define RANKINE_INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__))

#define RANKINE_CALLED(size) __attribute__((__enable_if__(__builtin_constant_p(size) | 1, "")))
#define RANKINE_TOO_LARGE "the memory of a rank ends at 4 GiB: this allocation fails"
#define RANKINE_FITS(size) __attribute__((__diagnose_if__((size) < 0 || (size) >= 0x100000000, RANKINE_TOO_LARGE, "warning")))

/* Every type of number that a call may have for a size, but `size_t`. */
#define RANKINE_EACH(DO, ...)                                                                                          \
	DO(int, __VA_ARGS__) DO(unsigned, __VA_ARGS__) DO(long, __VA_ARGS__) DO(long long, __VA_ARGS__)                \
	DO(unsigned long long, __VA_ARGS__) DO(float, __VA_ARGS__) DO(double, __VA_ARGS__) DO(long double, __VA_ARGS__)

#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD size_t rankine_size(T size) {                                               \
		return size >= 0 && size < 0x100000000 ? (size_t)size : (size_t)-1;                                    \
	}
RANKINE_EACH(RANKINE_DO, )
RANKINE_OVERLOAD size_t rankine_size(size_t size) { return size; }
#undef RANKINE_DO

/* A program may have put functions of its own in the place of these. */
#ifndef malloc
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *malloc(T size) RANKINE_CALLED(size) RANKINE_FITS(size) {              \
		return malloc(rankine_size(size));                                                                     \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifndef realloc
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *realloc(void *block, T size) RANKINE_CALLED(size) RANKINE_FITS(size) { \
		return realloc(block, rankine_size(size));                                                             \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifndef aligned_alloc
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *aligned_alloc(size_t alignment, T size) RANKINE_CALLED(size)          \
		RANKINE_FITS(size) {                                                                                   \
		return aligned_alloc(alignment, rankine_size(size));                                                   \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifndef calloc
#define RANKINE_DO(T, U)                                                                                               \
	RANKINE_OVERLOAD void *calloc(U count, T size) RANKINE_CALLED(size) {                        \
		return calloc(rankine_size(count), rankine_size(size));                                                \
	}
RANKINE_EACH(RANKINE_DO, int)
RANKINE_EACH(RANKINE_DO, unsigned)
RANKINE_EACH(RANKINE_DO, long)
RANKINE_EACH(RANKINE_DO, unsigned long)
RANKINE_EACH(RANKINE_DO, long long)
RANKINE_EACH(RANKINE_DO, unsigned long long)
RANKINE_EACH(RANKINE_DO, float)
RANKINE_EACH(RANKINE_DO, double)
RANKINE_EACH(RANKINE_DO, long double)
#undef RANKINE_DO
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *calloc(T count, size_t size) RANKINE_CALLED(size) RANKINE_FITS(count) { \
		return calloc(rankine_size(count), size);                                                              \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifdef __cplusplus
}
#else
/* The last declaration is the one that a declaration without parameters is compared with. */
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
#endif

#undef RANKINE_EACH
#undef RANKINE_FITS
#undef RANKINE_TOO_LARGE
#undef RANKINE_CALLED
#undef RANKINE_OVERLOAD
#undef RANKINE_INLINE
#endif
