/* C++'s new and delete. They are the C++ library's, but that they take what lies ready in the allocator's cache, and put it
 * there, without calls of malloc and free: those cost as much as what they do.
 *
 * A program that brings its own malloc or operator delete gets calls of these, and so does one whose heap is watched. They have
 * their names of C++ here, so that the allocator is in one language. */
#include "cache.h"
#include <rankine/weak.h>
#include <stdbool.h>
#include <stdlib.h>

typedef void handler(void);
handler *get_new_handler(void) __asm__("_ZSt15get_new_handlerv");
_Noreturn void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");

void *new(size_t) __asm__("_Znwm");
void delete(void *) __asm__("_ZdlPv");
void delete_sized(void *, size_t) __asm__("_ZdlPvm");
void rankine_delete(void *);
void *rankine_malloc(size_t);

/* `rankine run --check-heap` sets it before the program begins. */
char rankine_heap_watched;

/* Whether two names have one function: clang believes that it knows, the compiler for the machine does know. */
#define IS_SAME(one, other) (!differ((void *)(one), (void *)(other)))
static inline bool differ(void *one, void *other) {
	__asm__("" : "+r"(one));
	return one != other;
}

static inline bool is_own_heap(void) { return IS_SAME(malloc, rankine_malloc) && !rankine_heap_watched; }

static __attribute__((noinline)) void *new_slowly(size_t size) {
	void *block;
	while ((block = malloc(size == 0 ? 1 : size)) == NULL) {
		handler *handler = get_new_handler();
		if (handler == NULL)
			throw_bad_alloc();
		handler();
	}
	return block;
}

WEAK void *new(size_t size) {
	void *block = is_own_heap() ? take_cached(size) : NULL;
	return block != NULL ? block : new_slowly(size);
}

WEAK void delete(void *block) {
	if (block != NULL && !(is_own_heap() && give_cached(block)))
		free(block);
}
void rankine_delete(void *) __attribute__((alias("_ZdlPv")));

WEAK void delete_sized(void *block, size_t size) {
	(void)size;
	if (block != NULL && !(IS_SAME(delete, rankine_delete) && is_own_heap() && give_cached(block)))
		delete(block);
}
