/* qsort: a merge sort, so equal elements keep their order, as programs have come to expect, and no order of theirs takes more
 * than n log n comparisons. Elements of up to 32 bytes are moved, longer ones by way of pointers to them. */
#define _GNU_SOURCE
#include <rankine/weak.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
/* Sorted by insertion. */
#define FEW 5
#define LONGEST_MOVED 32
/* Room on the stack for small arrays. */
#define ROOM 1024

typedef int comparison(const void *, const void *);
typedef int comparison_with(const void *, const void *, void *);

struct order {
	comparison *plain;
	comparison_with *with;
	void *context;
};

INLINE int compared(const struct order *order, const void *left, const void *right) {
	return order->plain != NULL ? order->plain(left, right) : order->with(left, right, order->context);
}

INLINE void copy(char *to, const char *from, size_t width) { __builtin_memcpy(to, from, width); }

/* A sort for elements of a width, COMPARED of two addresses in the array: SPARE has room for half of them, and for one. */
#define SORT(NAME, WIDTH, COMPARED)                                                                       \
	static void NAME(char *first, size_t count, size_t any_width, char *spare, const struct order *order) { \
		const size_t width = WIDTH;                                                                       \
		(void)any_width;                                                                                  \
		if (count <= FEW) {                                                                               \
			for (size_t sorted = 1; sorted < count; sorted++) {                                           \
				char *place = first + sorted * width;                                                     \
				if (COMPARED(order, place - width, place) <= 0)                                           \
					continue;                                                                             \
				copy(spare, place, width);                                                                \
				do {                                                                                      \
					copy(place, place - width, width);                                                    \
					place -= width;                                                                       \
				} while (place > first && COMPARED(order, place - width, spare) > 0);                     \
				copy(place, spare, width);                                                                \
			}                                                                                             \
			return;                                                                                       \
		}                                                                                                 \
		size_t half = count / 2;                                                                          \
		char *right = first + half * width, *end = first + count * width;                                 \
		NAME(first, half, any_width, spare, order);                                                       \
		NAME(right, count - half, any_width, spare, order);                                               \
		if (COMPARED(order, right - width, right) <= 0)                                                   \
			return;                                                                                       \
		__builtin_memcpy(spare, first, half * width);                                                               \
		char *left = spare, *left_end = spare + half * width;                                             \
		for (;;) {                                                                                        \
			bool is_left = COMPARED(order, left, right) <= 0;                                             \
			copy(first, is_left ? left : right, width);                                                   \
			first += width;                                                                               \
			left += is_left ? width : 0;                                                                  \
			right += is_left ? 0 : width;                                                                 \
			if (left == left_end)                                                                         \
				return;                                                                                   \
			if (right == end)                                                                             \
				break;                                                                                    \
		}                                                                                                 \
		__builtin_memcpy(first, left, (size_t)(left_end - left));                                                   \
	}

#define OF_POINTERS(order, left, right) compared(order, *(void *const *)(left), *(void *const *)(right))

SORT(sort_4, 4, compared)
SORT(sort_8, 8, compared)
SORT(sort_16, 16, compared)
SORT(sort_any, any_width, compared)
SORT(sort_pointers, sizeof(void *), OF_POINTERS)

static void sort_moving(char *first, size_t count, size_t width, char *spare, const struct order *order) {
	switch (width) {
	case 4: sort_4(first, count, width, spare, order); break;
	case 8: sort_8(first, count, width, spare, order); break;
	case 16: sort_16(first, count, width, spare, order); break;
	default: sort_any(first, count, width, spare, order);
	}
}

/* Puts elements where pointers to them say: a place gets the element that its pointer names, and so on round the circle. */
static void put_in_place(char *first, size_t count, size_t width, char **pointers, char *spare) {
	for (size_t at = 0; at < count; at++) {
		char *place = first + at * width;
		if (pointers[at] == place)
			continue;
		__builtin_memcpy(spare, place, width);
		char *from, *to = place;
		size_t here = at;
		while ((from = pointers[here]) != place) {
			__builtin_memcpy(to, from, width);
			pointers[here] = to;
			to = from;
			here = (size_t)(from - first) / width;
		}
		__builtin_memcpy(to, spare, width);
		pointers[here] = to;
	}
}

static void swap(char *left, char *right, size_t bytes) {
	for (size_t at = 0; at < bytes; at++) {
		char byte = left[at];
		left[at] = right[at];
		right[at] = byte;
	}
}

static void reverse(char *first, char *end, size_t width) {
	for (; first + width < end; first += width) {
		end -= width;
		swap(first, end, width);
	}
}

/* Merges two neighbours without any room: the second half of the longer changes places with what belongs before it. */
static void merge_in_place(char *first, size_t left, size_t right, size_t width, const struct order *order) {
	while (left > 0 && right > 0) {
		char *middle = first + left * width;
		bool halves_left = left >= right;
		size_t before = (halves_left ? left : right) / 2;
		const char *pivot = (halves_left ? first : middle) + before * width;
		/* How many of the other side belong before it: of the right one those that are less, of the left one equal ones too. */
		size_t low = 0, high = halves_left ? right : left;
		while (low < high) {
			size_t at = low + (high - low) / 2;
			bool belongs = halves_left ? compared(order, middle + at * width, pivot) < 0
						   : compared(order, first + at * width, pivot) <= 0;
			low = belongs ? at + 1 : low;
			high = belongs ? high : at;
		}
		size_t of_left = halves_left ? before : low, of_right = halves_left ? low : before;
		/* The pivot comes between what is before it and what is behind. */
		char *begin = first + of_left * width, *until = middle + (of_right + !halves_left) * width;
		reverse(begin, middle, width);
		reverse(middle, until, width);
		reverse(begin, until, width);
		merge_in_place(first, of_left, of_right, width, order);
		first += (of_left + of_right + 1) * width;
		left -= of_left + halves_left;
		right -= of_right + !halves_left;
	}
}

static void sort_in_place(char *first, size_t count, size_t width, const struct order *order) {
	if (count < 2)
		return;
	size_t half = count / 2;
	sort_in_place(first, half, width, order);
	sort_in_place(first + half * width, count - half, width, order);
	merge_in_place(first, half, count - half, width, order);
}

static void sort(void *array, size_t count, size_t width, const struct order *order) {
	if (count < 2 || width == 0)
		return;
	bool moves = width <= LONGEST_MOVED;
	/* Not more than the array has, or than pointers to elements that are longer. */
	size_t bytes = moves ? (count / 2 + 1) * width : (count + count / 2 + 1) * sizeof(void *) + width;
	_Alignas(16) char room[ROOM];
	char *spare = bytes <= ROOM ? room : malloc(bytes);
	if (spare == NULL) {
		sort_in_place(array, count, width, order);
		return;
	}
	if (moves) {
		sort_moving(array, count, width, spare, order);
	} else {
		char **pointers = (char **)spare, **half = pointers + count;
		for (size_t at = 0; at < count; at++)
			pointers[at] = (char *)array + at * width;
		sort_pointers(spare, count, sizeof *pointers, (char *)half, order);
		put_in_place(array, count, width, pointers, (char *)(half + count / 2 + 1));
	}
	if (spare != room)
		free(spare);
}

WEAK void qsort(void *array, size_t count, size_t width, comparison *comparison) {
	sort(array, count, width, &(struct order){.plain = comparison});
}

WEAK void qsort_r(void *array, size_t count, size_t width, comparison_with *comparison, void *context) {
	sort(array, count, width, &(struct order){.with = comparison, .context = context});
}
