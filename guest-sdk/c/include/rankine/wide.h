/* Numbers of 64 bits where C has a `size_t`, which has 32: what `wide_sizes.h` and `wide_copies.h` are made of. */
#ifndef RANKINE_WIDE_H
#define RANKINE_WIDE_H
#pragma clang system_header

#ifdef __cplusplus
#define RANKINE_OVERLOAD RANKINE_INLINE
#else
#define RANKINE_OVERLOAD __attribute__((__overloadable__)) RANKINE_INLINE
#endif
#define RANKINE_INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__, __nodebug__))

/* A condition that holds wherever a function is called. */
#define RANKINE_CALLED(size) __attribute__((__enable_if__(__builtin_constant_p(size) | 1, "")))
#define RANKINE_FITS(size, otherwise)                                                                                  \
	__attribute__((__diagnose_if__((size) < 0 || (size) >= 0x100000000, otherwise, "warning")))

/* Every type of number that a call may have for a size, but `size_t`: those of 32 bits, and the others. */
#define RANKINE_EACH_SHORT(DO, ...) DO(int, __VA_ARGS__) DO(unsigned, __VA_ARGS__) DO(long, __VA_ARGS__)
#define RANKINE_EACH_WIDE(DO, ...)                                                                                     \
	DO(long long, __VA_ARGS__) DO(unsigned long long, __VA_ARGS__)                                                 \
	DO(float, __VA_ARGS__) DO(double, __VA_ARGS__) DO(long double, __VA_ARGS__)
#define RANKINE_EACH(DO, ...) RANKINE_EACH_SHORT(DO, __VA_ARGS__) RANKINE_EACH_WIDE(DO, __VA_ARGS__)

#ifdef __cplusplus
extern "C++" {
#endif
#define RANKINE_DO(T, ...)                                                                                             \
	RANKINE_OVERLOAD size_t rankine_size(T size) {                                                                 \
		return size >= 0 && size < 0x100000000 ? (size_t)size : (size_t)-1;                                    \
	}
RANKINE_EACH(RANKINE_DO, )
RANKINE_OVERLOAD size_t rankine_size(size_t size) { return size; }
#undef RANKINE_DO
#ifdef __cplusplus
}
#endif
#endif
