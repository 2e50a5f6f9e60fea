/* Counts of more than 32 bits for what copies and fills memory. Cut to a `size_t` they would name a part of what was meant;
 * here they are as large as can be, and the copy traps, as it would natively where so much memory is not there.
 *
 * They are overloads as those of `wide_sizes.h` are. A count of 32 bits is passed on as it is. */
#ifndef RANKINE_WIDE_COPIES_H
#define RANKINE_WIDE_COPIES_H
#pragma clang system_header
#include <rankine/wide.h>

#define RANKINE_TOO_LARGE "the memory of a rank ends at 4 GiB: this traps"

#ifdef __cplusplus
extern "C++" {
#endif

#define RANKINE_COPY(name, from, T, size)                                                                              \
	RANKINE_OVERLOAD void *name(void *to, from source, T count) RANKINE_CALLED(count)                              \
		RANKINE_FITS(count, RANKINE_TOO_LARGE) {                                                               \
		return name(to, source, size(count));                                                                  \
	}
#define RANKINE_SHORT(T, name, from) RANKINE_COPY(name, from, T, (size_t))
#define RANKINE_WIDE(T, name, from) RANKINE_COPY(name, from, T, rankine_size)

/* A program may have put functions of its own in the place of these. */
#ifndef memcpy
RANKINE_EACH_SHORT(RANKINE_SHORT, memcpy, const void *)
RANKINE_EACH_WIDE(RANKINE_WIDE, memcpy, const void *)
#endif
#ifndef memmove
RANKINE_EACH_SHORT(RANKINE_SHORT, memmove, const void *)
RANKINE_EACH_WIDE(RANKINE_WIDE, memmove, const void *)
#endif
#ifndef memset
RANKINE_EACH_SHORT(RANKINE_SHORT, memset, int)
RANKINE_EACH_WIDE(RANKINE_WIDE, memset, int)
#endif

#ifdef __cplusplus
}
#else
/* The last declaration is the one that a declaration without parameters is compared with. */
void *memcpy(void *__restrict, const void *__restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
#endif

#undef RANKINE_COPY
#undef RANKINE_SHORT
#undef RANKINE_WIDE
#undef RANKINE_TOO_LARGE
#endif
