/* The heap of chunks: free ones in bins by length, which merge with their free neighbours. It lies behind the program's data
 * and grows with the memory. */
#include "allocator.h"
#include <stdint.h>
#include <string.h>

#define PAGE ((size_t)65536)
/* Bins of one length each, then eight to a power of two. */
#define EXACT 32
#define BINS (EXACT + 8 * (8 * sizeof(size_t) - 8))
/* Chunks of a bin that are looked at for one that is long enough, before a longer bin's is cut. */
#define LOOKS 8
/* The same before the memory grows. */
#define LAST_LOOKS 512

static struct chunk *bins[BINS];
static uint64_t filled[(BINS + 63) / 64];
/* Where the memory ends that is the heap's, behind the word that ends it; null as long as there is none. */
static char *end;
/* From here to that end no block has ever been, and all is zero but for the words of free chunks. */
static char *untouched;

extern char __heap_base, __heap_end;

#ifdef _REENTRANT
/* 0 is free, 1 taken, 2 taken and somebody may wait. */
static int taken;

void heap_lock(void) {
	int is = 0;
	if (__atomic_compare_exchange_n(&taken, &is, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	for (int look = 0; look < 100; look++) {
		is = 0;
		if (__atomic_load_n(&taken, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&taken, &is, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
	}
	while (__atomic_exchange_n(&taken, 2, __ATOMIC_ACQUIRE) != 0)
		__builtin_wasm_memory_atomic_wait32(&taken, 2, -1);
}

void heap_unlock(void) {
	if (__atomic_exchange_n(&taken, 0, __ATOMIC_RELEASE) == 2)
		__builtin_wasm_memory_atomic_notify(&taken, 1);
}
#endif

static inline struct chunk *behind(struct chunk *chunk) { return (struct chunk *)((char *)chunk + length_of(chunk)); }
static inline size_t *last_word(struct chunk *chunk) { return (size_t *)behind(chunk) - 1; }
static inline struct chunk *free_before(struct chunk *chunk) {
	return (struct chunk *)((char *)chunk - ((size_t *)chunk)[-1]);
}

/* The bin for chunks of a length. */
static inline unsigned bin_of(size_t length) {
	size_t units = length / UNIT;
	if (units < EXACT)
		return (unsigned)units;
	unsigned log = 63 - (unsigned)__builtin_clzll(units);
	return EXACT + (log - 5) * 8 + (unsigned)(units >> (log - 3) & 7);
}

static void insert(struct chunk *chunk, size_t length) {
	chunk->head = length | FREE;
	*last_word(chunk) = length;
	behind(chunk)->head |= FREE_BEFORE;
	unsigned bin = bin_of(length);
	chunk->before = NULL;
	chunk->next = bins[bin];
	if (chunk->next != NULL)
		chunk->next->before = chunk;
	bins[bin] = chunk;
	filled[bin / 64] |= (uint64_t)1 << bin % 64;
}

/* Takes a free chunk out of its bin. It stays marked as free. */
static void take_out(struct chunk *chunk) {
	if (chunk->next != NULL)
		chunk->next->before = chunk->before;
	if (chunk->before != NULL) {
		chunk->before->next = chunk->next;
		return;
	}
	unsigned bin = bin_of(length_of(chunk));
	bins[bin] = chunk->next;
	if (chunk->next == NULL)
		filled[bin / 64] &= ~((uint64_t)1 << bin % 64);
}

void heap_free(struct chunk *chunk) {
	size_t length = length_of(chunk);
	struct chunk *next = behind(chunk);
	if (next->head & FREE) {
		take_out(next);
		length += length_of(next);
	}
	if (chunk->head & FREE_BEFORE) {
		chunk = free_before(chunk);
		take_out(chunk);
		length += length_of(chunk);
	}
	insert(chunk, length);
}

/* Adds memory to the heap; the first and the last word of a part that lies alone are no chunk's. */
static void add(char *begin, char *until) {
	struct chunk *chunk;
	if (begin == end) {
		/* It continues the heap: the word that ended it becomes the chunk's. */
		chunk = (struct chunk *)(end - WORD);
		if (chunk->head & FREE_BEFORE) {
			size_t *last = (size_t *)chunk - 1;
			struct chunk *before = free_before(chunk);
			take_out(before);
			*last = 0;
			chunk->head = 0;
			chunk = before;
		}
	} else {
		begin = (char *)(((size_t)begin + WORD + UNIT - 1) & ~(size_t)(UNIT - 1));
		if (begin > until || (size_t)(until - begin) < LEAST)
			return;
		chunk = (struct chunk *)(begin - WORD);
		untouched = begin;
	}
	/* The word that ends the heap is a chunk of no length, in use. */
	((struct chunk *)(until - WORD))->head = 0;
	end = until;
	insert(chunk, (size_t)(until - WORD - (char *)chunk));
}

/* Makes the memory larger, for a chunk of this length. */
static bool grow(size_t length) {
	if (end == NULL && untouched == NULL) {
		/* The first time: what is left of the last page of the program's data. */
		untouched = &__heap_base;
		add(&__heap_base, (char *)((size_t)&__heap_end & ~(size_t)(UNIT - 1)));
		if (end != NULL && length_of(free_before((struct chunk *)(end - WORD))) >= length)
			return true;
	}
	for (;;) {
		size_t there = 0;
		if (end != NULL && (size_t)end == __builtin_wasm_memory_size(0) * PAGE) {
			struct chunk *last = (struct chunk *)(end - WORD);
			if (last->head & FREE_BEFORE)
				there = length_of(free_before(last));
		}
		/* Where it lies alone, it needs a word before it and one behind it, at the right places. */
		size_t pages = (length - there + 2 * UNIT + PAGE - 1) / PAGE;
		size_t before = __builtin_wasm_memory_grow(0, pages);
		if (before == (size_t)-1)
			return false;
		bool is_behind = (char *)(before * PAGE) == end;
		size_t until = (before + pages) * PAGE;
		/* The very last byte of 4 GiB has no address behind it. */
		add((char *)(before * PAGE), (char *)(until == 0 ? (size_t)0 - UNIT : until));
		/* Another thread may have had the memory grow meanwhile: then what was there is not before it. */
		if (there == 0 || is_behind)
			return true;
	}
}

/* The shortest bin with a chunk in it, from one on; all bins if there is none. */
static inline unsigned next_filled(unsigned bin) {
	for (unsigned word = bin / 64; word < sizeof filled / sizeof *filled; word++, bin = word * 64) {
		uint64_t here = filled[word] >> bin % 64;
		if (here != 0)
			return bin + (unsigned)__builtin_ctzll(here);
	}
	return BINS;
}

/* The shortest chunk of at least this length among the first of a bin. */
static inline struct chunk *best_of(unsigned bin, size_t length, unsigned looks) {
	struct chunk *best = NULL;
	size_t shortest = (size_t)-1;
	for (struct chunk *chunk = bins[bin]; chunk != NULL && looks > 0; chunk = chunk->next, looks--) {
		size_t here = length_of(chunk);
		if (here >= length && here < shortest) {
			best = chunk;
			shortest = here;
			if (here == length)
				break;
		}
	}
	return best;
}

/* A free chunk of at least this length; it stays in its bin. */
static struct chunk *find(size_t length, unsigned looks) {
	unsigned bin = bin_of(length);
	struct chunk *best = best_of(bin, length, looks);
	if (best != NULL)
		return best;
	bin = next_filled(bin + 1);
	return bin < BINS ? best_of(bin, length, LOOKS) : NULL;
}

/* Takes this length from a free chunk that was taken out of its bin, or all of it where the rest would be no chunk. */
static void use(struct chunk *chunk, size_t length) {
	size_t had = length_of(chunk);
	if (had - length < LEAST)
		length = had;
	chunk->head = length;
	struct chunk *rest = behind(chunk);
	if (had == length) {
		rest->head &= ~(size_t)FREE_BEFORE;
	} else {
		rest->head = 0;
		insert(rest, had - length);
	}
	/* As far as the words of a free chunk that begins there. */
	if ((char *)rest + LEAST > untouched && (char *)rest < end)
		untouched = (char *)rest + LEAST;
}

/* Zeroes a block that begins with the words of a free chunk and ends with its last one; what lies in memory that no block
 * has ever been in is zero. */
static void zero(struct chunk *chunk, char *touched) {
	char *block = block_of(chunk), *rest = (char *)behind(chunk);
	char *until = block + 2 * WORD;
	if (touched > until)
		until = touched;
	if (until > rest)
		until = rest;
	memset(block, 0, (size_t)(until - block));
	*last_word(chunk) = 0;
}

struct chunk *heap_take(size_t length, bool zeroed) {
	struct chunk *chunk = find(length, LOOKS);
	if (chunk == NULL)
		chunk = find(length, LAST_LOOKS);
	if (chunk == NULL) {
		if (!grow(length))
			return NULL;
		chunk = find(length, LAST_LOOKS);
		if (chunk == NULL)
			return NULL;
	}
	take_out(chunk);
	char *touched = untouched;
	use(chunk, length);
	if (zeroed)
		zero(chunk, touched);
	return chunk;
}

struct chunk *heap_take_exact(size_t length) {
	struct chunk *chunk = bins[bin_of(length)];
	if (chunk == NULL || length_of(chunk) != length)
		return NULL;
	take_out(chunk);
	use(chunk, length);
	return chunk;
}

struct chunk *heap_cut(struct chunk *chunk, size_t length) {
	size_t rest = length_of(chunk) - length;
	chunk->head = length | (chunk->head & FLAGS);
	struct chunk *second = behind(chunk);
	second->head = rest;
	return second;
}

void heap_shorten(struct chunk *chunk, size_t length) {
	if (length_of(chunk) - length >= LEAST)
		heap_free(heap_cut(chunk, length));
}

bool heap_resize(struct chunk *chunk, size_t length) {
	size_t had = length_of(chunk);
	if (length <= had) {
		heap_shorten(chunk, length);
		return true;
	}
	struct chunk *next = behind(chunk);
	bool is_last = (char *)next == end - WORD || (next->head & FREE && (char *)behind(next) == end - WORD);
	size_t more = next->head & FREE ? length_of(next) : 0;
	if (had + more < length) {
		if (!is_last || (size_t)end != __builtin_wasm_memory_size(0) * PAGE || !grow(length - had))
			return false;
		next = behind(chunk);
		if (!(next->head & FREE) || had + length_of(next) < length)
			return false;
	}
	take_out(next);
	use(next, length - had);
	chunk->head = (had + length_of(next)) | (chunk->head & FLAGS);
	return true;
}
