/* The allocator. Each thread keeps freed blocks of small sizes in lists of its own, where it finds them again without a lock.
 * Behind these caches stands one heap of chunks that lie side by side: freed ones merge with free neighbours, so memory that
 * one size gave back serves any other, and are kept in bins by size.
 *
 * A chunk begins with a word: its length, a multiple of 16, and two flags. The block that a program has lies behind that
 * word. A free chunk holds its neighbours in the bin's list in its next two words, and its length again in its last, where
 * the chunk behind it finds it.
 *
 * Lengths at both ends are Knuth's boundary tags (The Art of Computer Programming, volume 1, section 2.5); bins of such chunks
 * are those of Lea's malloc, caches of threads before a common heap those of Ghemawat's and Menage's TCMalloc. */
#include "allocator.h"
#include "cache.h"
#include <errno.h>
#include <malloc.h>
#include <rankine/weak.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _REENTRANT
#include <pthread.h>
#endif

/* A cache keeps so many bytes of a class, and between so many blocks. */
#define CACHED_BYTES 8192
#define FEWEST 8
#define MOST 128
/* Taken from the heap at a time: a block at first, and twice as many each further time, up to so many bytes. */
#define BATCH_BYTES 2048

OF_THREAD struct class rankine_cache[CLASSES + 1];
#define cache rankine_cache

static void *out_of_memory(void) {
	errno = ENOMEM;
	return NULL;
}

#ifdef _REENTRANT
/* A thread's cache goes back to the heap when the thread ends; what it frees after that goes there at once. */
static OF_THREAD enum { UNKNOWN, KEPT, ENDED } cache_state;
static pthread_key_t end_of_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_cache_back(void *unused) {
	(void)unused;
	cache_state = ENDED;
	heap_lock();
	for (size_t class = 0; class <= CLASSES; class++) {
		for (void *block = cache[class].first; block != NULL;) {
			void *next = *(void **)block;
			heap_free(chunk_of(block));
			block = next;
		}
		cache[class] = (struct class){0};
	}
	heap_unlock();
}

static void make_key(void) {
	if (pthread_key_create(&end_of_thread, give_cache_back) != 0)
		abort();
}

/* Whether this thread may keep blocks. */
static bool has_cache(void) {
	if (cache_state == UNKNOWN) {
		cache_state = KEPT;
		pthread_once(&once, make_key);
		/* A value that is not null, so that the key's function is called. */
		if (pthread_setspecific(end_of_thread, &once) != 0)
			cache_state = ENDED;
	}
	return cache_state == KEPT;
}
#else
static inline bool has_cache(void) { return true; }
#endif

/* A block of a class whose list is empty; others come with it. */
static __attribute__((noinline)) void *refill(size_t length) {
	struct class *class = &cache[length / UNIT];
	unsigned want = 1;
	if (has_cache()) {
		want = class->batch == 0 ? 1 : class->batch;
		class->batch = (uint8_t)(want * 2 * length <= BATCH_BYTES ? want * 2 : want);
	}
	heap_lock();
	struct chunk *chunk = heap_take_exact(length), *more;
	if (chunk != NULL) {
		for (; want > 1 && (more = heap_take_exact(length)) != NULL; want--)
			keep(class, block_of(more));
		heap_unlock();
		return block_of(chunk);
	}
	chunk = heap_take(length * want, false);
	if (chunk == NULL && want > 1) {
		want = 1;
		chunk = heap_take(length, false);
	}
	for (; chunk != NULL && want > 1; want--)
		keep(class, block_of(heap_cut(chunk, (want - 1) * length)));
	heap_unlock();
	return chunk == NULL ? out_of_memory() : block_of(chunk);
}

/* A list is longer than it may be, which is not at all before it was asked: the half that was freed first goes back. */
static __attribute__((noinline)) void flush(struct class *class, size_t length) {
	if (class->most == 0 && has_cache()) {
		size_t most = CACHED_BYTES / length;
		class->most = (uint8_t)(most > MOST ? MOST : most < FEWEST ? FEWEST : most);
		return;
	}
	unsigned keep = class->most == 0 ? 0 : class->count / 2u;
	void **last = NULL, *block = class->first;
	for (unsigned kept = 0; kept < keep; kept++) {
		last = block;
		block = *last;
	}
	if (last != NULL)
		*last = NULL;
	else
		class->first = NULL;
	class->count = (uint16_t)keep;
	heap_lock();
	while (block != NULL) {
		void *next = *(void **)block;
		heap_free(chunk_of(block));
		block = next;
	}
	heap_unlock();
}

static void *take_large(size_t size, bool zeroed) {
	if (size > MOST_BYTES)
		return out_of_memory();
	heap_lock();
	struct chunk *chunk = heap_take(chunk_length(size), zeroed);
	heap_unlock();
	return chunk == NULL ? out_of_memory() : block_of(chunk);
}

static inline void *take(size_t size) {
	void *block = take_cached(size);
	if (block != NULL)
		return block;
	return size > LONGEST_CACHED - WORD ? take_large(size, false) : refill(chunk_length(size));
}

/* Only the block that was freed last is looked at: the others would take time. */
static _Noreturn __attribute__((noinline)) void freed_twice(void) {
	static const char text[] = "free: a block is freed twice; `rankine run --check-heap` says where\n";
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	abort();
}

static void give_large(void *block) {
	heap_lock();
	heap_free(chunk_of(block));
	heap_unlock();
}

/* What the cache does not take as it is. */
static __attribute__((noinline)) void give_slowly(void *block) {
	size_t length = length_of(chunk_of(block));
	if (length > LONGEST_CACHED) {
		give_large(block);
		return;
	}
	struct class *class = &cache[length / UNIT];
	if (class->first == block)
		freed_twice();
	keep(class, block);
	flush(class, length);
}

static inline void give(void *block) {
	if (!give_cached(block))
		give_slowly(block);
}

/* A block at a multiple of a power of two. */
static void *take_aligned(size_t alignment, size_t size) {
	if (alignment <= UNIT)
		return take(size);
	if (size > MOST_BYTES || alignment > MOST_BYTES - size)
		return out_of_memory();
	size_t length = chunk_length(size);
	heap_lock();
	/* Room for a free chunk before the block. */
	struct chunk *chunk = heap_take(length + alignment + LEAST - UNIT, false);
	if (chunk != NULL) {
		size_t begin = ((size_t)block_of(chunk) + alignment - 1) & ~(alignment - 1);
		size_t before = begin - (size_t)block_of(chunk);
		if (before != 0 && before < LEAST)
			before += alignment;
		if (before != 0) {
			struct chunk *front = chunk;
			chunk = heap_cut(front, before);
			heap_free(front);
		}
		heap_shorten(chunk, length);
	}
	heap_unlock();
	return chunk == NULL ? out_of_memory() : block_of(chunk);
}

static bool is_power_of_two(size_t number) { return number != 0 && (number & (number - 1)) == 0; }

WEAK void *malloc(size_t size) { return take(size); }
/* The same under a name that is nobody else's. */
void *rankine_malloc(size_t) __attribute__((alias("malloc")));

WEAK void free(void *block) {
	if (block != NULL)
		give(block);
}

WEAK void *calloc(size_t count, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return out_of_memory();
	if (bytes > LONGEST_CACHED - WORD)
		return take_large(bytes, true);
	void *block = take(bytes);
	if (block != NULL)
		memset(block, 0, bytes);
	return block;
}

WEAK void *realloc(void *block, size_t size) {
	if (block == NULL)
		return take(size);
	if (size > MOST_BYTES)
		return out_of_memory();
	struct chunk *chunk = chunk_of(block);
	size_t had = length_of(chunk), length = chunk_length(size);
	if (length <= had && (had <= LONGEST_CACHED ? length >= had / 2 : length >= had - had / 8))
		return block;
	if (had > LONGEST_CACHED && length > LONGEST_CACHED) {
		heap_lock();
		bool fits = heap_resize(chunk, length);
		heap_unlock();
		if (fits)
			return block;
	}
	void *other = take(size);
	if (other == NULL)
		return length <= had ? block : NULL;
	__builtin_memcpy(other, block, (length < had ? length : had) - WORD);
	give(block);
	return other;
}

WEAK void *aligned_alloc(size_t alignment, size_t size) {
	if (!is_power_of_two(alignment)) {
		errno = EINVAL;
		return NULL;
	}
	return take_aligned(alignment, size);
}

WEAK int posix_memalign(void **place, size_t alignment, size_t size) {
	if (!is_power_of_two(alignment) || alignment < sizeof(void *))
		return EINVAL;
	int before = errno;
	void *block = take_aligned(alignment, size);
	errno = before;
	if (block == NULL)
		return ENOMEM;
	*place = block;
	return 0;
}

WEAK size_t malloc_usable_size(void *block) { return block == NULL ? 0 : length_of(chunk_of(block)) - WORD; }

/* By these names the C library asks for memory that is not the program's business. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void __libc_free(void *);
WEAK void *__libc_malloc(size_t size) { return malloc(size); }
WEAK void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
WEAK void __libc_free(void *block) { free(block); }
