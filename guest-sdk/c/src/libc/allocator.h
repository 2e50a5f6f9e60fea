/* The heap of chunks behind the allocator's caches (allocator.c says what a chunk is). Whoever calls its functions holds its
 * lock. */
#ifndef RANKINE_ALLOCATOR_H
#define RANKINE_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

#define WORD sizeof(size_t)
#define UNIT ((size_t)16)
/* The shortest chunk: four words, as a free one needs. */
#define LEAST (4 * WORD)
/* No block is longer: what is added to it on the way has room in a word. */
#define MOST_BYTES ((size_t)-1 - 0x20000)

enum { FREE = 1, FREE_BEFORE = 2, FLAGS = 15 };

struct chunk {
	size_t head;
	struct chunk *next, *before;
};

static inline size_t length_of(const struct chunk *chunk) { return chunk->head & ~(size_t)FLAGS; }
static inline void *block_of(struct chunk *chunk) { return (char *)chunk + WORD; }
static inline struct chunk *chunk_of(void *block) { return (struct chunk *)((char *)block - WORD); }

#ifdef _REENTRANT
void rankine_heap_lock(void);
void rankine_heap_unlock(void);
#define heap_lock rankine_heap_lock
#define heap_unlock rankine_heap_unlock
#else
static inline void heap_lock(void) {}
static inline void heap_unlock(void) {}
#endif

#define heap_take rankine_heap_take
#define heap_take_exact rankine_heap_take_exact
#define heap_free rankine_heap_free
#define heap_cut rankine_heap_cut
#define heap_shorten rankine_heap_shorten
#define heap_resize rankine_heap_resize

/* A chunk of at least this length, its block zeroed if that is asked for; null if there is no more memory. */
struct chunk *heap_take(size_t length, bool zeroed);
/* A chunk of this length if one lies ready, else null. */
struct chunk *heap_take_exact(size_t length);
/* Gives a chunk back. */
void heap_free(struct chunk *);
/* Cuts a chunk in two, the first of this length; the second, which is in use as well. */
struct chunk *heap_cut(struct chunk *, size_t length);
/* Gives what is behind this length back. */
void heap_shorten(struct chunk *, size_t length);
/* Makes a chunk this long where it is, if that can be done. */
bool heap_resize(struct chunk *, size_t length);

#endif
