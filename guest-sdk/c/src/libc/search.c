/* bsearch, without jumps that depend on the order, of which a processor guesses every other one wrong. */
#include <rankine/weak.h>
#include <stddef.h>
#include <stdlib.h>

WEAK void *bsearch(const void *key, const void *array, size_t count, size_t width, int (*compare)(const void *, const void *)) {
	const char *first = array;
	while (count > 0) {
		size_t half = count / 2;
		const char *middle = first + half * width;
		int order = compare(key, middle);
		if (order == 0)
			return (void *)middle;
		/* All bits where it lies behind the middle: there are as many as before it, or one less. */
		size_t behind = (size_t)-(order > 0);
		first += behind & (half + 1) * width;
		count = half - (behind & (1 - (count & 1)));
	}
	return NULL;
}
