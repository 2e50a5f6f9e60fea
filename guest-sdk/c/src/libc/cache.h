/* A thread's cache of freed blocks (allocator.c): what lies ready is taken, and what has room is given, without a lock and
 * without a call. */
#ifndef RANKINE_CACHE_H
#define RANKINE_CACHE_H

#include "allocator.h"
#include <stdint.h>

#ifdef _REENTRANT
#define OF_THREAD _Thread_local
#else
#define OF_THREAD
#endif

/* Chunks up to this length are cached. */
#define CLASSES 64
#define LONGEST_CACHED (CLASSES * UNIT)

/* Blocks of a length that a thread keeps: how many, how many it may keep, how many it takes from the heap the next time. */
struct class {
	void *first;
	uint16_t count;
	uint8_t most, batch;
};

extern OF_THREAD struct class rankine_cache[CLASSES + 1];

static inline void keep(struct class *class, void *block) {
	*(void **)block = class->first;
	class->first = block;
	class->count++;
}

/* The length of the chunk for a block. */
static inline size_t chunk_length(size_t size) {
	return size <= LEAST - WORD ? LEAST : (size + WORD + UNIT - 1) & ~(size_t)(UNIT - 1);
}

/* A block that lies ready; null if there is none. */
static inline void *take_cached(size_t size) {
	if (size > LONGEST_CACHED - WORD)
		return NULL;
	struct class *class = &rankine_cache[chunk_length(size) / UNIT];
	void **block = class->first;
	if (block != NULL) {
		class->first = *block;
		class->count--;
	}
	return block;
}

/* Whether a block was put where it lies ready. One that was freed just before is not. */
static inline bool give_cached(void *block) {
	size_t length = length_of(chunk_of(block));
	if (length > LONGEST_CACHED)
		return false;
	struct class *class = &rankine_cache[length / UNIT];
	if (class->count >= class->most || class->first == block)
		return false;
	keep(class, block);
	return true;
}

#endif
