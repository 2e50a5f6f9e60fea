/* What printf's parts share. */
#ifndef RANKINE_PRINTF_H
#define RANKINE_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where text goes: a room, and from there to a stream if there is one; what is too long for a room alone is counted. */
struct sink {
	char *room;
	size_t size, used, total;
	FILE *file;
	bool failed;
};

#define put_much rankine_put_much
#define fill rankine_fill
#define put_padded rankine_put_padded
#define put_real rankine_put_real
#define put_long_real rankine_put_long_real

/* Writes what has no room. */
void put_much(struct sink *, const char *text, size_t length);

static inline void put(struct sink *sink, const char *text, size_t length) {
	sink->total += length;
	if (length > sink->size - sink->used) {
		put_much(sink, text, length);
		return;
	}
	char *to = sink->room + sink->used;
	sink->used += length;
	if (length < 16)
		for (; length > 0; length--)
			*to++ = *text++;
	else
		__builtin_memcpy(to, text, length);
}

/* Writes a character so many times. */
void fill(struct sink *, char with, int count);

enum { LEFT = 1, SIGN = 2, SPACE = 4, OTHER = 8, ZEROS = 16, GROUPS = 32 };
enum length { PLAIN, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE };

/* A conversion. */
struct conversion {
	int flags, width, precision;
	enum length length;
	char letter;
	/* Which arguments it takes: its own, its width and its precision; 0 is the next one, -1 none. */
	int argument, width_from, precision_from;
};

static inline char sign_of(const struct conversion *conversion, bool is_negative) {
	return is_negative ? '-' : conversion->flags & SIGN ? '+' : conversion->flags & SPACE ? ' ' : 0;
}

/* Writes what stands before a number, the zeros between, and a text; with blanks up to the width. */
void put_padded(struct sink *, const struct conversion *, const char *before, int before_length, int zeros, const char *text,
		int length);
void put_real(struct sink *, const struct conversion *, double number);
void put_long_real(struct sink *, const struct conversion *, long double number);

#endif
