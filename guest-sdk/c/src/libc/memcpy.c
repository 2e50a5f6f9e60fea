/* Bytes copied. */
#include "strings.h"
#include <rankine/weak.h>

WEAK void *memcpy(void *restrict to, const void *restrict from, size_t count) {
	copy(to, from, count);
	return to;
}
