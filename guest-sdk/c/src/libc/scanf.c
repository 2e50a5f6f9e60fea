/* scanf and its like, on strings and streams. */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <rankine/weak.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Where text comes from: a string, or a stream. */
struct source {
	const char *string;
	FILE *file;
	size_t count;
};

/* The next character, or EOF. */
static inline int next(struct source *source) {
	int character = source->string == NULL ? getc(source->file) : *source->string == 0 ? EOF : (unsigned char)*source->string++;
	source->count += character != EOF;
	return character;
}

/* Gives the character back that came last. */
static inline void give_back(struct source *source, int character) {
	if (character == EOF)
		return;
	source->count--;
	if (source->string != NULL)
		source->string--;
	else
		ungetc(character, source->file);
}

static void skip_space(struct source *source) {
	int character;
	while (isspace(character = next(source)))
		;
	give_back(source, character);
}

/* Text that is collected: in a room at first, in a block of its own when that is full. */
struct text {
	char room[128], *at;
	size_t size, used;
};

static void begin(struct text *text) {
	text->at = text->room;
	text->size = sizeof text->room;
	text->used = 0;
}

static bool add(struct text *text, const void *bytes, size_t count) {
	if (text->used + count > text->size) {
		char *more = realloc(text->at == text->room ? NULL : text->at, text->size * 2 + count);
		if (more == NULL)
			return false;
		if (text->at == text->room)
			__builtin_memcpy(more, text->room, text->used);
		text->at = more;
		text->size = text->size * 2 + count;
	}
	__builtin_memcpy(text->at + text->used, bytes, count);
	text->used += count;
	return true;
}

static inline bool add_character(struct text *text, int character) {
	if (text->used == text->size)
		return add(text, &(char){(char)character}, 1);
	text->at[text->used++] = (char)character;
	return true;
}

static void end(struct text *text) {
	if (text->at != text->room)
		free(text->at);
}

enum length { PLAIN, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE };

/* A conversion; its argument is the next one if it has no number. */
struct conversion {
	bool is_dropped, is_allocated, has_width;
	int argument;
	size_t width;
	enum length length;
	char letter;
	/* Characters of a set: between its brackets. */
	const char *set, *set_end;
};

/* What became of one. */
enum outcome { DONE, MISMATCH, NO_INPUT, NO_MEMORY };

static void store_integer(void *place, enum length length, uint64_t number) {
	switch (length) {
	case CHAR: *(char *)place = (char)number; break;
	case SHORT: *(short *)place = (short)number; break;
	case LONG: *(long *)place = (long)number; break;
	case LONG_LONG: case LONG_DOUBLE: *(long long *)place = (long long)number; break;
	case PLAIN: *(int *)place = (int)number;
	}
}

static unsigned value_of(int character) {
	if ((unsigned)character - '0' < 10)
		return (unsigned)character - '0';
	unsigned letter = ((unsigned)character | 32) - 'a';
	return letter < 26 ? letter + 10 : UINT_MAX;
}

/* Reads an integer to a base, 0 for that which its beginning says; one that is too large for 64 bits becomes the largest. */
static enum outcome read_integer(struct source *source, unsigned base, bool is_signed, size_t width, uint64_t *number) {
	bool is_negative = false, has_digits = false, is_too_large = false;
	int character = next(source);
	*number = 0;
	if (character == EOF)
		return NO_INPUT;
	if ((character == '-' || character == '+') && width > 1) {
		is_negative = character == '-';
		character = next(source);
		width--;
	}
	if (character == '0' && (base == 0 || base == 16)) {
		has_digits = true;
		character = --width > 0 ? next(source) : EOF;
		if ((character | 32) == 'x' && width > 0) {
			base = 16;
			/* What follows has to be a digit, as what was read can't be given back. */
			has_digits = false;
			character = --width > 0 ? next(source) : EOF;
		} else if (base == 0) {
			base = 8;
		}
		if (width == 0)
			return has_digits ? DONE : MISMATCH;
	}
	base = base == 0 ? 10 : base;
	for (; value_of(character) < base; character = next(source)) {
		has_digits = true;
		is_too_large |= __builtin_mul_overflow(*number, (uint64_t)base, number) ||
				__builtin_add_overflow(*number, (uint64_t)value_of(character), number);
		if (--width == 0) {
			character = EOF;
			break;
		}
	}
	give_back(source, character);
	uint64_t most = is_signed ? (uint64_t)INT64_MAX + is_negative : UINT64_MAX;
	is_too_large |= *number > most;
	if (is_too_large)
		*number = most;
	else if (is_negative)
		*number = -*number;
	return has_digits ? DONE : MISMATCH;
}

/* Collects characters as long as they are the beginning of a real number. */
struct collector {
	struct source *source;
	struct text *text;
	size_t width;
	int character;
	bool has_failed;
};

static void advance(struct collector *collector) {
	collector->character = collector->width > 0 ? next(collector->source) : EOF;
}

/* Takes the character that is there. */
static void accept(struct collector *collector) {
	collector->has_failed |= !add_character(collector->text, collector->character);
	collector->width--;
	advance(collector);
}

static bool accept_word(struct collector *collector, const char *word) {
	for (; *word != 0; word++) {
		if ((collector->character | 32) != *word || collector->character == EOF)
			return false;
		accept(collector);
	}
	return true;
}

static bool accept_digits(struct collector *collector, unsigned base) {
	bool has_digits = false;
	for (; value_of(collector->character) < base; accept(collector))
		has_digits = true;
	return has_digits;
}

static bool accept_sign(struct collector *collector) {
	bool is_sign = collector->character == '-' || collector->character == '+';
	if (is_sign)
		accept(collector);
	return is_sign;
}

static bool collect_name(struct collector *collector) {
	if ((collector->character | 32) == 'i')
		return accept_word(collector, "inf") && ((collector->character | 32) != 'i' || accept_word(collector, "inity"));
	if (!accept_word(collector, "nan"))
		return false;
	if (collector->character != '(')
		return true;
	do
		accept(collector);
	while (value_of(collector->character) < 36 || collector->character == '_');
	if (collector->character != ')')
		return false;
	accept(collector);
	return true;
}

/* Whether what was collected may be a number. */
static bool collect_real(struct collector *collector) {
	unsigned base = 10;
	bool has_digits = false;
	accept_sign(collector);
	if (isalpha(collector->character) && collector->character != EOF)
		return collect_name(collector);
	if (collector->character == '0') {
		has_digits = true;
		accept(collector);
		if (collector->character != EOF && (collector->character | 32) == 'x') {
			base = 16;
			has_digits = false;
			accept(collector);
		}
	}
	has_digits |= accept_digits(collector, base);
	if (collector->character == '.') {
		accept(collector);
		has_digits |= accept_digits(collector, base);
	}
	if (has_digits && collector->character != EOF && (collector->character | 32) == (base == 16 ? 'p' : 'e')) {
		accept(collector);
		accept_sign(collector);
		accept_digits(collector, 10);
	}
	return has_digits;
}

static enum outcome read_real(struct source *source, const struct conversion *conversion, void *place) {
	struct text text;
	begin(&text);
	struct collector collector = {source, &text, conversion->has_width ? conversion->width : SIZE_MAX, EOF, false};
	advance(&collector);
	if (collector.character == EOF)
		return NO_INPUT;
	bool is_number = collect_real(&collector);
	give_back(source, collector.character);
	is_number &= add_character(&text, 0);
	char *rest = text.at;
	if (is_number && !collector.has_failed) {
		if (conversion->length == LONG_DOUBLE) {
			long double number = strtold(text.at, &rest);
			if (place != NULL)
				*(long double *)place = number;
		} else if (conversion->length == LONG) {
			double number = strtod(text.at, &rest);
			if (place != NULL)
				*(double *)place = number;
		} else {
			float number = strtof(text.at, &rest);
			if (place != NULL)
				*(float *)place = number;
		}
	}
	bool is_read = rest != text.at;
	end(&text);
	return collector.has_failed ? NO_MEMORY : is_read ? DONE : MISMATCH;
}

/* Whether a character belongs to what `%s`, `%c` or a set takes. */
static bool belongs(const struct conversion *conversion, int character) {
	if (conversion->letter == 'c')
		return true;
	if (conversion->letter == 's')
		return !isspace(character);
	const unsigned char *at = (const unsigned char *)conversion->set, *until = (const unsigned char *)conversion->set_end;
	bool is_other = *at == '^', is_in = false;
	for (at += is_other; at < until && !is_in; at++) {
		if (at[0] == '-' && at > (const unsigned char *)conversion->set + is_other && at + 1 < until)
			is_in = at[-1] <= character && character <= at[1];
		else
			is_in = *at == character;
	}
	return is_in != is_other;
}

/* Reads characters, narrow or wide, into a place that is large enough, or into a block that is made for them. */
static enum outcome read_characters(struct source *source, const struct conversion *conversion, void *place) {
	bool is_wide = conversion->length == LONG, is_block = conversion->is_allocated && !conversion->is_dropped;
	size_t left = conversion->has_width ? conversion->width : conversion->letter == 'c' ? 1 : SIZE_MAX, taken = 0;
	struct text text;
	mbstate_t state = {0};
	char *to = place;
	int character = EOF;
	begin(&text);
	for (; left > 0; left--) {
		character = next(source);
		if (character == EOF || !belongs(conversion, character))
			break;
		wchar_t wide = character;
		size_t bytes = is_wide ? mbrtowc(&wide, &(char){(char)character}, 1, &state) : 1;
		taken++;
		if (bytes == (size_t)-1) {
			end(&text);
			return NO_INPUT;
		}
		if (bytes == (size_t)-2) {
			left++;
			continue;
		}
		size_t size = is_wide ? sizeof wide : 1;
		const void *from = is_wide ? (const void *)&wide : &(char){(char)character};
		if (is_block && !add(&text, from, size)) {
			end(&text);
			return NO_MEMORY;
		}
		if (!is_block && to != NULL) {
			__builtin_memcpy(to, from, size);
			to += size;
		}
	}
	if (left > 0)
		give_back(source, character);
	bool is_short = conversion->letter == 'c' ? left > 0 && conversion->has_width : taken == 0;
	if (taken == 0 || is_short) {
		end(&text);
		return character == EOF ? NO_INPUT : MISMATCH;
	}
	size_t size = conversion->letter == 'c' ? 0 : is_wide ? sizeof(wchar_t) : 1;
	if (!is_block && to != NULL)
		memset(to, 0, size);
	if (is_block) {
		char *block = add(&text, &(wchar_t){0}, size) ? malloc(text.used) : NULL;
		if (block != NULL)
			__builtin_memcpy(block, text.at, text.used);
		end(&text);
		if (block == NULL)
			return NO_MEMORY;
		*(char **)place = block;
	}
	return DONE;
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

/* Reads a conversion behind its `%`; where it ends, or null if it is none. */
static const char *read_conversion(const char *at, struct conversion *conversion) {
	*conversion = (struct conversion){0};
	size_t number = 0;
	const char *digit = at;
	for (; (unsigned)*digit - '0' < 10; digit++)
		number = number * 10 + (size_t)(*digit - '0');
	if (digit > at && *digit == '$') {
		conversion->argument = (int)number;
		at = digit + 1;
	}
	if (*at == '*') {
		conversion->is_dropped = true;
		at++;
	}
	for (; (unsigned)*at - '0' < 10; at++) {
		conversion->has_width = true;
		conversion->width = conversion->width * 10 + (size_t)(*at - '0');
	}
	if (conversion->width == 0)
		conversion->has_width = false;
	if (*at == 'm') {
		conversion->is_allocated = true;
		at++;
	}
	conversion->length = read_length(&at);
	conversion->letter = *at++;
	if (conversion->letter == 'C' || conversion->letter == 'S') {
		conversion->letter |= 32;
		conversion->length = LONG;
	}
	if (conversion->letter == '[') {
		conversion->set = at;
		at += *at == '^';
		/* A bracket that comes first is one of the characters. */
		const char *close = *at == 0 ? NULL : strchr(at + 1, ']');
		if (close == NULL)
			return NULL;
		conversion->set_end = close;
		at = close + 1;
	}
	return conversion->letter == 0 ? NULL : at;
}

static enum outcome convert(struct source *source, const struct conversion *conversion, void *place) {
	uint64_t number;
	unsigned base = 10;
	switch (conversion->letter) {
	case 'c': case 's': case '[': return read_characters(source, conversion, place);
	case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': return read_real(source, conversion, place);
	case 'i': base = 0; break;
	case 'o': base = 8; break;
	case 'x': case 'X': case 'p': base = 16; break;
	default: break;
	}
	bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
	enum outcome outcome = read_integer(source, base, is_signed, conversion->has_width ? conversion->width : SIZE_MAX, &number);
	if (outcome == DONE && place != NULL)
		store_integer(place, conversion->letter == 'p' ? LONG : conversion->length, number);
	return outcome;
}

/* The place that an argument names, by its number. */
static void *argument(va_list *arguments, int number) {
	va_list own;
	void *place = NULL;
	va_copy(own, *arguments);
	for (; number > 0; number--)
		place = va_arg(own, void *);
	va_end(own);
	return place;
}

static int scan(struct source *source, const char *format, va_list *arguments) {
	int done = 0;
	for (; *format != 0; format++) {
		if (isspace((unsigned char)*format)) {
			skip_space(source);
			continue;
		}
		struct conversion conversion = {.letter = '%'};
		if (*format == '%') {
			const char *behind = read_conversion(format + 1, &conversion);
			if (behind == NULL || strchr("diuoxXpaAeEfFgGcs[n%", conversion.letter) == NULL)
				return done == 0 ? EOF : done;
			format = behind - 1;
			if (strchr("c[n", conversion.letter) == NULL)
				skip_space(source);
		}
		if (conversion.letter == '%') {
			int character = next(source);
			if (character == (unsigned char)*format)
				continue;
			give_back(source, character);
			return character == EOF && done == 0 ? EOF : done;
		}
		void *place = NULL;
		if (!conversion.is_dropped)
			place = conversion.argument > 0 ? argument(arguments, conversion.argument) : va_arg(*arguments, void *);
		if (conversion.letter == 'n') {
			if (place != NULL)
				store_integer(place, conversion.length, source->count);
			continue;
		}
		enum outcome outcome = convert(source, &conversion, place);
		if (outcome != DONE)
			return outcome != MISMATCH && done == 0 ? EOF : done;
		done += !conversion.is_dropped;
	}
	return done;
}

WEAK int vsscanf(const char *restrict string, const char *restrict format, va_list arguments) {
	va_list own;
	va_copy(own, arguments);
	int done = scan(&(struct source){.string = string}, format, &own);
	va_end(own);
	return done;
}

WEAK int vfscanf(FILE *restrict file, const char *restrict format, va_list arguments) {
	va_list own;
	va_copy(own, arguments);
#ifdef _REENTRANT
	flockfile(file);
#endif
	int done = scan(&(struct source){.file = file}, format, &own);
#ifdef _REENTRANT
	funlockfile(file);
#endif
	va_end(own);
	return done;
}
