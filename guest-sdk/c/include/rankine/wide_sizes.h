/* Sizes of more than 32 bits. A rank's `size_t` has 32, so `malloc(n * 8LL)` would get the lower half of the number, and
 * a block that is too small. Here such a size is too large, and the allocation fails as it does when memory is out.
 *
 * Overloads do it, in C too: the C library's own function stays the one for a `size_t`, and the only one whose address
 * can be taken, since the condition of the others holds where they are called and can't be evaluated anywhere else. So
 * `malloc` can be stored, passed, compared and declared again. */
#ifndef RANKINE_WIDE_SIZES_H
#define RANKINE_WIDE_SIZES_H
#pragma clang system_header
#include <rankine/wide.h>

#define RANKINE_TOO_LARGE "the memory of a rank ends at 4 GiB: this allocation fails"

#ifdef __cplusplus
extern "C++" {
#endif

/* A program may have put functions of its own in the place of these. */
#ifndef malloc
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *malloc(T size) RANKINE_CALLED(size) RANKINE_FITS(size, RANKINE_TOO_LARGE) {             \
		return malloc(rankine_size(size));                                                                     \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifndef realloc
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *realloc(void *block, T size) RANKINE_CALLED(size)                                       \
		RANKINE_FITS(size, RANKINE_TOO_LARGE) {                                                                \
		return realloc(block, rankine_size(size));                                                             \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifndef aligned_alloc
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD void *aligned_alloc(size_t alignment, T size) RANKINE_CALLED(size)                            \
		RANKINE_FITS(size, RANKINE_TOO_LARGE) {                                                                \
		return aligned_alloc(alignment, rankine_size(size));                                                   \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#if defined(_POSIX_SOURCE) || defined(_POSIX_C_SOURCE) || defined(_XOPEN_SOURCE) || defined(_GNU_SOURCE) || defined(_BSD_SOURCE)
#define RANKINE_HAS_POSIX_MEMALIGN
#endif
#if defined(RANKINE_HAS_POSIX_MEMALIGN) && !defined(posix_memalign)
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD int posix_memalign(void **block, size_t alignment, T size) RANKINE_CALLED(size)               \
		RANKINE_FITS(size, RANKINE_TOO_LARGE) {                                                                \
		return posix_memalign(block, alignment, rankine_size(size));                                           \
	}
RANKINE_EACH(RANKINE_DO, )
#undef RANKINE_DO
#endif

#ifndef calloc
#define RANKINE_DO(T, U)                                                                                               \
	RANKINE_OVERLOAD void *calloc(U count, T size) RANKINE_CALLED(size) {                                          \
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
	RANKINE_OVERLOAD void *calloc(T count, size_t size) RANKINE_CALLED(size)                                       \
		RANKINE_FITS(count, RANKINE_TOO_LARGE) {                                                               \
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
#ifdef RANKINE_HAS_POSIX_MEMALIGN
int posix_memalign(void **, size_t, size_t);
#endif
#endif

#undef RANKINE_HAS_POSIX_MEMALIGN
#undef RANKINE_TOO_LARGE
#endif
