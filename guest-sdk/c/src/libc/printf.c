/* printf and its like, on strings and streams. */
#define _GNU_SOURCE
#include "printf.h"
#include "digits.h"
#include <errno.h>
#include <limits.h>
#include <rankine/weak.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void flush(struct sink *sink) {
	if (sink->used != 0 && fwrite(sink->room, 1, sink->used, sink->file) != sink->used)
		sink->failed = true;
	sink->used = 0;
}

void put_much(struct sink *sink, const char *text, size_t length) {
	if (sink->file == NULL) {
		size_t fits = sink->size - sink->used;
		__builtin_memcpy(sink->room + sink->used, text, fits);
		sink->used = sink->size;
		return;
	}
	flush(sink);
	if (length >= sink->size) {
		if (fwrite(text, 1, length, sink->file) != length)
			sink->failed = true;
		return;
	}
	__builtin_memcpy(sink->room, text, length);
	sink->used = length;
}

void fill(struct sink *sink, char with, int count) {
	char some[32];
	if (count <= 0)
		return;
	memset(some, with, sizeof some);
	for (; count > (int)sizeof some; count -= (int)sizeof some)
		put(sink, some, sizeof some);
	put(sink, some, (size_t)count);
}

/* An argument, as it is passed. */
union argument {
	uint64_t integer;
	double real;
	long double long_real;
	void *pointer;
};

enum kind { NONE, INTEGER, WIDE_INTEGER, REAL, LONG_REAL, POINTER };

static enum kind kind_of(const struct conversion *conversion) {
	switch (conversion->letter) {
	case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': case 'b': case 'c': case 'C':
		if (conversion->length == LONG_LONG)
			return WIDE_INTEGER;
		return conversion->length == LONG && sizeof(long) == 8 ? WIDE_INTEGER : INTEGER;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		return conversion->length == LONG_DOUBLE ? LONG_REAL : REAL;
	case 's': case 'S': case 'p': case 'n': return POINTER;
	default: return NONE;
	}
}

static void take(union argument *argument, enum kind kind, va_list *arguments) {
	switch (kind) {
	case INTEGER: argument->integer = (uint64_t)va_arg(*arguments, int); break;
	case WIDE_INTEGER: argument->integer = va_arg(*arguments, uint64_t); break;
	case REAL: argument->real = va_arg(*arguments, double); break;
	case LONG_REAL: argument->long_real = va_arg(*arguments, long double); break;
	case POINTER: argument->pointer = va_arg(*arguments, void *); break;
	case NONE: break;
	}
}

/* A number in a format; less than 0 where it is too large. */
static int read_number(const char **at) {
	int number = 0;
	for (; (unsigned)**at - '0' < 10; ++*at)
		if (number >= 0 && (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, **at - '0', &number)))
			number = -1;
	return number;
}

/* The argument that a star or a conversion takes: `3$` is the third. */
static int read_place(const char **at) {
	const char *after = *at;
	int place = read_number(&after);
	if (place <= 0 || *after != '$')
		return 0;
	*at = after + 1;
	return place;
}

static enum length read_length(const char **at) {
	switch (*(*at)++) {
	case 'h':
		if (**at != 'h')
			return SHORT;
		++*at;
		return CHAR;
	case 'l':
		if (**at != 'l')
			return LONG;
		++*at;
		return LONG_LONG;
	case 'q': case 'j': return LONG_LONG;
	case 'z': case 't': return LONG;
	case 'L': return LONG_DOUBLE;
	default: --*at; return PLAIN;
	}
}

/* Reads which argument is wanted, flags, width and precision; false where they are none. */
static bool read_layout(const char **at, struct conversion *conversion) {
	static const char flags[] = "-+ #0'";
	conversion->argument = read_place(at);
	for (const char *flag; **at != 0 && (flag = strchr(flags, **at)) != NULL; ++*at)
		conversion->flags |= 1 << (flag - flags);
	if (**at == '*') {
		++*at;
		conversion->width_from = read_place(at);
	} else if ((conversion->width = read_number(at)) < 0) {
		return false;
	}
	if (**at == '.') {
		++*at;
		if (**at == '*') {
			++*at;
			conversion->precision_from = read_place(at);
		} else if (**at == '-') {
			++*at;
			read_number(at);
		} else if ((conversion->precision = read_number(at)) < 0) {
			return false;
		}
	}
	return true;
}

/* Reads a conversion behind its `%`; where it ends, or null if it is none. */
static const char *read_conversion(const char *at, struct conversion *conversion) {
	*conversion = (struct conversion){.precision = -1, .width_from = -1, .precision_from = -1};
	/* All but the length and the letter stands before the letters, and is rare. */
	if (*at < 'A' && !read_layout(&at, conversion))
		return NULL;
	conversion->length = read_length(&at);
	conversion->letter = *at++;
	if (conversion->length == LONG_DOUBLE && kind_of(conversion) == INTEGER)
		conversion->length = LONG_LONG;
	bool is_known = conversion->letter == 'm' || conversion->letter == '%' || kind_of(conversion) != NONE;
	return is_known ? at : NULL;
}

void put_padded(struct sink *sink, const struct conversion *conversion, const char *before, int before_length, int zeros,
		const char *text, int length) {
	int blanks = conversion->width - before_length - zeros - length;
	if (conversion->width == 0 && before_length == 0 && zeros == 0) {
		put(sink, text, (size_t)length);
		return;
	}
	if (!(conversion->flags & LEFT))
		fill(sink, ' ', blanks);
	put(sink, before, (size_t)before_length);
	fill(sink, '0', zeros);
	put(sink, text, (size_t)length);
	if (conversion->flags & LEFT)
		fill(sink, ' ', blanks);
}

static char *digits_to_base(char *end, uint64_t number, unsigned bits, bool is_upper) {
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";
	for (; number != 0; number >>= bits)
		*--end = digits[number & ((1u << bits) - 1)];
	return end;
}

/* An integer as its type has it. */
static uint64_t narrowed(uint64_t number, enum length length, bool is_signed) {
	unsigned bits = length == CHAR ? 8 : length == SHORT ? 16 : length == LONG ? 8 * sizeof(long) : length == LONG_LONG ? 64 : 32;
	unsigned unused = 64 - bits;
	return is_signed ? (uint64_t)((int64_t)(number << unused) >> unused) : number << unused >> unused;
}

static void put_integer(struct sink *sink, const struct conversion *conversion, uint64_t number) {
	char room[72], before[3], *end = room + sizeof room, *begin;
	int before_length = 0, precision = conversion->precision;
	bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
	if (conversion->letter == 'p')
		number = (uintptr_t)number;
	else
		number = narrowed(number, conversion->length, is_signed);
	switch (conversion->letter) {
	case 'o':
		begin = digits_to_base(end, number, 3, false);
		if (conversion->flags & OTHER && number != 0 && precision <= end - begin)
			*--begin = '0';
		else if (conversion->flags & OTHER && precision == 0)
			precision = 1;
		break;
	case 'x': case 'X': case 'p': case 'b':
		begin = digits_to_base(end, number, conversion->letter == 'b' ? 1 : 4, conversion->letter == 'X');
		if ((conversion->flags & OTHER && number != 0) || conversion->letter == 'p') {
			before[before_length++] = '0';
			before[before_length++] = conversion->letter == 'p' ? 'x' : conversion->letter;
		}
		break;
	default: {
		bool is_negative = is_signed && (int64_t)number < 0;
		char sign = is_signed ? sign_of(conversion, is_negative) : 0;
		if (sign != 0)
			before[before_length++] = sign;
		begin = number == 0 ? end : rankine_integer_digits(end, is_negative ? -number : number);
	}
	}
	int length = (int)(end - begin), zeros = (precision < 0 ? 1 : precision) - length;
	if (precision < 0 && (conversion->flags & (ZEROS | LEFT)) == ZEROS && conversion->width - before_length - length > zeros)
		zeros = conversion->width - before_length - length;
	if (zeros > 0 || conversion->width > 0) {
		put_padded(sink, conversion, before, before_length, zeros > 0 ? zeros : 0, begin, length);
		return;
	}
	/* In one piece. */
	while (before_length > 0)
		*--begin = before[--before_length];
	put(sink, begin, (size_t)(end - begin));
}

/* A text of wide characters, of which whole ones are written; false if one is none. */
static bool put_wide(struct sink *sink, const struct conversion *conversion, const wchar_t *text) {
	char room[MB_LEN_MAX];
	size_t most = conversion->precision < 0 ? INT_MAX : (size_t)conversion->precision, length = 0;
	const wchar_t *end = text;
	for (; length < most && *end != 0; end++) {
		int bytes = wctomb(room, *end);
		if (bytes < 0)
			return false;
		if ((size_t)bytes > most - length)
			break;
		length += (size_t)bytes;
	}
	int blanks = conversion->width > (int)length ? conversion->width - (int)length : 0;
	if (!(conversion->flags & LEFT))
		fill(sink, ' ', blanks);
	for (; text < end; text++)
		put(sink, room, (size_t)wctomb(room, *text));
	if (conversion->flags & LEFT)
		fill(sink, ' ', blanks);
	return true;
}

static bool put_text(struct sink *sink, const struct conversion *conversion, const char *text) {
	if (text == NULL)
		text = "(null)";
	size_t length = conversion->precision < 0 ? strlen(text) : strnlen(text, (size_t)conversion->precision);
	if (length > INT_MAX) {
		errno = EOVERFLOW;
		return false;
	}
	put_padded(sink, conversion, NULL, 0, 0, text, (int)length);
	return true;
}

static void store_count(void *place, enum length length, size_t count) {
	switch (length) {
	case CHAR: *(signed char *)place = (signed char)count; break;
	case SHORT: *(short *)place = (short)count; break;
	case LONG: *(long *)place = (long)count; break;
	case LONG_LONG: *(long long *)place = (long long)count; break;
	default: *(int *)place = (int)count;
	}
}

static bool convert(struct sink *sink, const struct conversion *conversion, const union argument *argument, int error) {
	switch (conversion->letter) {
	case '%': put(sink, "%", 1); return true;
	case 'm': return put_text(sink, conversion, strerror(error));
	case 'n':
		store_count(argument->pointer, conversion->length, sink->total);
		return true;
	case 'c': case 'C':
		if (conversion->length == LONG || conversion->letter == 'C') {
			struct conversion whole = *conversion;
			whole.precision = -1;
			if (argument->integer != 0)
				return put_wide(sink, &whole, (const wchar_t[]){(wchar_t)argument->integer, 0});
		}
		put_padded(sink, conversion, NULL, 0, 0, &(char){(char)argument->integer}, 1);
		return true;
	case 's': case 'S':
		if (conversion->length == LONG || conversion->letter == 'S')
			return put_wide(sink, conversion, argument->pointer == NULL ? L"(null)" : argument->pointer);
		return put_text(sink, conversion, argument->pointer);
	case 'p': put_integer(sink, conversion, (uintptr_t)argument->pointer); return true;
	default: break;
	}
	switch (kind_of(conversion)) {
	case REAL: put_real(sink, conversion, argument->real); break;
	case LONG_REAL: put_long_real(sink, conversion, argument->long_real); break;
	default: put_integer(sink, conversion, argument->integer);
	}
	return true;
}

/* The most arguments that a format may name by their numbers. */
enum { NAMED = 32 };

/* Takes all arguments of a format that names them by their numbers; false if it names them amiss. */
static bool take_named(const char *format, va_list *arguments, union argument *named) {
	enum kind kinds[NAMED + 1] = {NONE};
	struct conversion conversion;
	while ((format = strchr(format, '%')) != NULL) {
		format = read_conversion(format + 1, &conversion);
		if (format == NULL)
			return false;
		enum kind own = kind_of(&conversion);
		if (conversion.argument > NAMED || conversion.width_from > NAMED || conversion.precision_from > NAMED ||
		    (own != NONE && conversion.argument == 0) || conversion.width_from == 0 || conversion.precision_from == 0)
			return false;
		if (own != NONE)
			kinds[conversion.argument] = own;
		if (conversion.width_from > 0)
			kinds[conversion.width_from] = INTEGER;
		if (conversion.precision_from > 0)
			kinds[conversion.precision_from] = INTEGER;
	}
	for (int at = 1, last = 0; at <= NAMED; at++) {
		if (kinds[at] == NONE)
			continue;
		/* Of one that is left out nobody knows how it was passed. */
		if (at != last + 1)
			return false;
		last = at;
		take(&named[at], kinds[at], arguments);
	}
	return true;
}

static int argument_of(int from, const union argument *named, va_list *arguments) {
	return from > 0 ? (int)named[from].integer : va_arg(*arguments, int);
}

/* Writes all; false with errno if it can't. */
static bool print(struct sink *sink, const char *format, va_list *arguments) {
	union argument named[NAMED + 1], own;
	const char *all = format;
	int error = errno;
	bool are_named = false;
	for (;;) {
		const char *end = strchrnul(format, '%');
		put(sink, format, (size_t)(end - format));
		if (*end == 0)
			break;
		struct conversion conversion;
		format = read_conversion(end + 1, &conversion);
		/* Where the first names its argument, all do. */
		bool is_first_named = format != NULL && conversion.argument > 0 && !are_named;
		if (format == NULL || (is_first_named && !take_named(all, arguments, named))) {
			errno = EINVAL;
			return false;
		}
		are_named |= is_first_named;
		if (conversion.width_from >= 0) {
			conversion.width = argument_of(conversion.width_from, named, arguments);
			if (conversion.width < 0) {
				conversion.flags |= LEFT;
				conversion.width = conversion.width == INT_MIN ? INT_MAX : -conversion.width;
			}
		}
		if (conversion.precision_from >= 0) {
			conversion.precision = argument_of(conversion.precision_from, named, arguments);
			conversion.precision = conversion.precision < 0 ? -1 : conversion.precision;
		}
		if (!are_named)
			take(&own, kind_of(&conversion), arguments);
		if (!convert(sink, &conversion, are_named ? &named[conversion.argument] : &own, error))
			return false;
		if (sink->total > INT_MAX)
			break;
	}
	if (sink->total > INT_MAX) {
		errno = EOVERFLOW;
		return false;
	}
	return !sink->failed;
}

WEAK int vsnprintf(char *restrict room, size_t size, const char *restrict format, va_list arguments) {
	struct sink sink = {.room = room, .size = size == 0 ? 0 : size - 1};
	va_list own;
	va_copy(own, arguments);
	bool is_done = print(&sink, format, &own);
	va_end(own);
	if (size != 0)
		room[sink.used] = 0;
	return is_done ? (int)sink.total : -1;
}

WEAK int vfprintf(FILE *restrict file, const char *restrict format, va_list arguments) {
	char room[512];
	struct sink sink = {.room = room, .size = sizeof room, .file = file};
	va_list own;
	va_copy(own, arguments);
#ifdef _REENTRANT
	flockfile(file);
#endif
	bool is_done = print(&sink, format, &own);
	flush(&sink);
#ifdef _REENTRANT
	funlockfile(file);
#endif
	va_end(own);
	return is_done && !sink.failed ? (int)sink.total : -1;
}
