/* Strings copied. */
#include "strings.h"
#include <rankine/weak.h>

/* Copies a short string, and says how long it is; SIZE_MAX where the first block has no end, or lies in two pages. */
static inline size_t copy_short(char *to, const char *from) {
	if (((size_t)from & (PAGE - 1)) > PAGE - BLOCK)
		return SIZE_MAX;
	v128_t bytes = wasm_v128_load(from);
	unsigned end = zeros(bytes);
	if (end == 0)
		return SIZE_MAX;
	size_t length = first(end);
	copy(to, from, length + 1);
	return length;
}

WEAK char *stpcpy(char *to, const char *from) {
	size_t length = copy_short(to, from);
	if (length != SIZE_MAX)
		return to + length;
	length = strlen(from);
	copy(to, from, length + 1);
	return to + length;
}

WEAK char *strcpy(char *to, const char *from) {
	if (copy_short(to, from) == SIZE_MAX)
		copy(to, from, strlen(from) + 1);
	return to;
}

WEAK char *stpncpy(char *to, const char *from, size_t count) {
	size_t length = strnlen(from, count);
	copy(to, from, length);
	memset(to + length, 0, count - length);
	return to + length;
}

WEAK char *strncpy(char *to, const char *from, size_t count) {
	stpncpy(to, from, count);
	return to;
}
