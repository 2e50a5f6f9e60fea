/* Blocks of 2 GiB and more. The C library's allocator asks for less than that at a time, and gives no block for which it
 * would have to ask for more. What has been asked for stays with it, though: so here a large block is taken as two that
 * lie side by side, and given back; then it fits where they were. The linker puts these functions before the C
 * library's (--wrap). */
#include <stddef.h>
#include <stdint.h>

void free(void *);
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void **, size_t, size_t);

/* What the allocator asks for at most, and what a block needs beside its bytes. */
#define MOST ((size_t)2047 << 20)
#define MORE ((size_t)1 << 12)

static void make_room(size_t size, size_t alignment) {
	if (size <= MOST || alignment > SIZE_MAX - MORE - size)
		return;
	void *volatile first = __real_malloc(MOST);
	void *volatile second = first == NULL ? NULL : __real_malloc(size - MOST + alignment + MORE);
	free(second);
	free(first);
}

/* The host asks for memory by the C library's names. */
__attribute__((export_name("malloc"))) void *__wrap_malloc(size_t size) {
	make_room(size, 0);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
	size_t bytes;
	if (!__builtin_mul_overflow(count, size, &bytes))
		make_room(bytes, 0);
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
	make_room(size, 0);
	return __real_realloc(block, size);
}

__attribute__((export_name("aligned_alloc"))) void *__wrap_aligned_alloc(size_t alignment, size_t size) {
	make_room(size, alignment);
	return __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
	make_room(size, alignment);
	return __real_posix_memalign(block, alignment, size);
}
