/* strtod and its like: the nearest number to what is written, to the last bit.
 *
 * Up to 19 digits are an integer; its product with the upper bits of a power of ten has an error that is known, and as a
 * rule both ends of where the true product lies are rounded to the same number. Where not, integers as long as it takes
 * decide: Clinger, "How to read floating point numbers accurately", PLDI 1990; in two words of 64 bits, Eisel's and Lemire's way
 * (Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51, 2021). */
#include "decimal.h"
#include "integers.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <rankine/weak.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct format SINGLE = SINGLE_FORMAT, DOUBLE = DOUBLE_FORMAT;

/* A number that is read: an integer of up to 19 digits times a power of ten. */
struct number {
	uint64_t digits;
	int power;
	/* Whether more digits follow, which are not all zero. */
	bool has_more;
	/* All digits, for who wants them: from the first that is not zero to the last; there may be a point among them. */
	const char *first, *last;
	/* The power of ten of the last one. */
	int last_power;
};

enum { TOO_LARGE = 100000 };

/* All digits of a number as an integer, of many the first and a one; the power of ten of the last. */
static int digits_of(struct integer *integer, const struct number *number, int most) {
	integer->count = 0;
	int count = 0, power = number->last_power, left = 0;
	bool has_more = false;
	for (const char *at = number->first; at <= number->last; at++) {
		if (*at == '.')
			continue;
		if (count < most) {
			multiply(integer, 10, (uint32_t)(*at - '0'));
			count++;
		} else {
			has_more |= *at != '0';
			left++;
		}
	}
	power += left;
	if (has_more) {
		multiply(integer, 10, 1);
		power--;
	}
	return power;
}

/* The first 128 bits of a number, the first one set; what power of two it stands for, and whether more follow. */
static struct wide exact_bits(const struct number *number, int decimals, int *exponent, bool *has_more) {
	struct integer numerator, denominator = {1, {1}};
	int power = digits_of(&numerator, number, decimals);
	*exponent = power;
	multiply_by_fives(power > 0 ? &numerator : &denominator, power > 0 ? power : -power);
	/* The quotient lies between 1 and 2, or a half and 1. */
	int more = length(&numerator) - length(&denominator);
	shift(more > 0 ? &denominator : &numerator, more > 0 ? more : -more);
	*exponent += more;
	if (compare(&numerator, &denominator) < 0) {
		shift(&numerator, 1);
		*exponent -= 1;
	}
	struct wide bits = {0, 0};
	for (int bit = 0; bit < 128; bit++) {
		bits = wide_doubled(bits);
		if (numerator.count > 0) {
			if (compare(&numerator, &denominator) >= 0) {
				subtract(&numerator, &denominator);
				bits.low |= 1;
			}
			if (numerator.count > 0)
				multiply(&numerator, 2, 0);
		}
	}
	*has_more = numerator.count > 0;
	return bits;
}

static struct result decided(const struct format *format, const struct number *number) {
	int exponent;
	bool has_more;
	struct wide bits = exact_bits(number, format->decimals, &exponent, &has_more);
	return rounded(format, bits.high, exponent, has_more || bits.low != 0);
}

/* The number nearest to digits times a power of ten, if the product of the upper bits tells; the digits may be too few by
 * less than one. */
static bool scaled(const struct format *format, uint64_t digits, int power, bool may_be_more, struct result *result) {
	int shift = __builtin_clzll(digits);
	uint64_t bits = digits << shift;
	struct wide ten = power_of_ten(power);
	struct wide least = wide_scaled(ten, bits), most = least;
	/* What was cut off the power is less than 3, what was cut off the product less than 1, of the last bit. A digit more adds
	 * the power, moved as the digits are. */
	uint64_t error = 4;
	if (may_be_more) {
		uint64_t high = shift == 0 ? ten.high >> 63 >> 1 : ten.high >> (64 - shift);
		uint64_t low = shift == 0 ? ten.high : ten.high << shift | ten.low >> 1 >> (63 - shift);
		most.high += high;
		most.low += low;
		most.high += most.low < low;
		if (most.high < least.high)
			return false;
		error = 8;
	}
	most.low += error;
	if (most.low < error && ++most.high == 0)
		return false;
	int exponent = log2_of_ten(power) + 64 - shift;
	if (!(least.high >> 63)) {
		if (most.high >> 63)
			return false;
		least = wide_doubled(least);
		most = wide_doubled(most);
		exponent--;
	}
	/* Of the smallest numbers it matters whether they are exact. */
	if (exponent < 1 - format->largest)
		return false;
	*result = rounded(format, least.high, exponent, least.low != 0);
	struct result other = rounded(format, most.high, exponent, most.low != 0);
	return result->bits == other.bits && result->is_out_of_range == other.is_out_of_range;
}

bool rankine_nearest(const struct format *format, uint64_t digits, int power, struct result *result) {
	return power >= -345 && power <= 310 && scaled(format, digits, power, false, result);
}

static struct result nearest(const struct format *format, const struct number *number) {
	struct result result;
	int size = number->power;
	/* Beyond all of a format's numbers: 10^-343 with 19 digits is below half of the smallest. */
	if (number->digits == 0)
		return (struct result){0, false};
	if (size > 310)
		return rounded(format, (uint64_t)1 << 63, TOO_LARGE, false);
	if (size < -345)
		return rounded(format, (uint64_t)1 << 63, -TOO_LARGE, true);
	if (scaled(format, number->digits, size, number->has_more, &result))
		return result;
	return decided(format, number);
}

#define IS_DIGIT(character) ((unsigned)(character) - '0' < 10)

/* Reads digits with a point and an exponent; where they end, or null if there is none. */
static const char *read_decimal(const char *text, struct number *number) {
	const char *at = text, *point = NULL;
	uint64_t digits = 0;
	int count = 0, dropped = 0;
	bool has_digits = false;
	*number = (struct number){0};
	for (;; at++) {
		if (*at == '.' && point == NULL) {
			point = at;
			continue;
		}
		if (!IS_DIGIT(*at))
			break;
		has_digits = true;
		if (number->first == NULL) {
			if (*at == '0')
				continue;
			number->first = at;
		}
		if (count < 19) {
			digits = digits * 10 + (uint64_t)(*at - '0');
			count++;
		} else {
			dropped++;
			number->has_more |= *at != '0';
		}
	}
	if (!has_digits)
		return NULL;
	const char *end = at;
	int power = 0;
	if ((*at | 32) == 'e') {
		const char *digit = at + 1 + (at[1] == '+' || at[1] == '-');
		if (IS_DIGIT(*digit)) {
			for (; IS_DIGIT(*digit); digit++)
				power = power < TOO_LARGE * 1000 ? power * 10 + (*digit - '0') : power;
			power = at[1] == '-' ? -power : power;
			end = digit;
		}
	}
	number->last = at - 1;
	/* The point counts as no digit; where it was the last character, nothing is behind it. */
	number->last_power = power - (point == NULL ? 0 : (int)(at - point - 1));
	int whole = number->last_power + dropped;
	number->power = whole > TOO_LARGE ? TOO_LARGE : whole < -TOO_LARGE ? -TOO_LARGE : whole;
	number->digits = digits;
	return end;
}

static int hexadecimal(char character) {
	if (IS_DIGIT(character))
		return character - '0';
	unsigned letter = (unsigned)(character | 32) - 'a';
	return letter < 6 ? (int)letter + 10 : -1;
}

/* Hexadecimal digits behind 0x: up to 128 bits, the first one set, and a power of two; null if there is no digit. */
static const char *read_hexadecimal(const char *text, struct wide *bits, int *exponent, bool *has_more) {
	const char *at = text, *point = NULL;
	bool has_digits = false;
	int64_t power = 0;
	int value;
	*bits = (struct wide){0, 0};
	*has_more = false;
	for (;; at++) {
		if (*at == '.' && point == NULL) {
			point = at;
			continue;
		}
		if ((value = hexadecimal(*at)) < 0)
			break;
		has_digits = true;
		if (bits->high >> 60 == 0) {
			bits->high = bits->high << 4 | bits->low >> 60;
			bits->low = bits->low << 4 | (unsigned)value;
			power -= point == NULL ? 0 : 4;
		} else {
			*has_more |= value != 0;
			power += point == NULL ? 4 : 0;
		}
	}
	if (!has_digits)
		return NULL;
	const char *end = at;
	if ((*at | 32) == 'p') {
		const char *digit = at + 1 + (at[1] == '+' || at[1] == '-');
		int64_t more = 0;
		if (IS_DIGIT(*digit)) {
			for (; IS_DIGIT(*digit); digit++)
				more = more < ((int64_t)1 << 40) ? more * 10 + (*digit - '0') : more;
			power += at[1] == '-' ? -more : more;
			end = digit;
		}
	}
	if (bits->high != 0 || bits->low != 0) {
		power += 127;
		for (; bits->high >> 63 == 0; power--)
			*bits = wide_doubled(*bits);
	}
	*exponent = power > TOO_LARGE ? TOO_LARGE : power < -TOO_LARGE ? -TOO_LARGE : (int)power;
	return end;
}

static bool begins(const char *text, const char *word) {
	for (; *word; text++, word++)
		if ((*text | 32) != *word)
			return false;
	return true;
}

enum kind { NOTHING, DECIMAL, BINARY, INFINITE, NO_NUMBER };

/* What a text begins with. */
struct read {
	enum kind kind;
	bool is_negative;
	struct number number;
	struct wide bits;
	int exponent;
	bool has_more;
	const char *end;
};

static void read_name(const char *at, struct read *read) {
	if (begins(at, "inf")) {
		read->kind = INFINITE;
		read->end = at + (begins(at + 3, "inity") ? 8 : 3);
	} else if (begins(at, "nan")) {
		read->kind = NO_NUMBER;
		read->end = at + 3;
		if (at[3] == '(') {
			const char *end = at + 4;
			while (IS_DIGIT(*end) || ((unsigned)(*end | 32) - 'a') < 26 || *end == '_')
				end++;
			if (*end == ')')
				read->end = end + 1;
		}
	}
}

static void read(const char *text, struct read *read) {
	const char *at = text, *end;
	while (*at == ' ' || (unsigned)*at - '\t' < 5)
		at++;
	*read = (struct read){.kind = NOTHING, .end = text};
	read->is_negative = *at == '-';
	at += *at == '-' || *at == '+';
	if (*at == '0' && (at[1] | 32) == 'x' &&
	    (end = read_hexadecimal(at + 2, &read->bits, &read->exponent, &read->has_more)) != NULL) {
		read->kind = BINARY;
		read->end = end;
	} else if ((end = read_decimal(at, &read->number)) != NULL) {
		read->kind = DECIMAL;
		read->end = end;
	} else {
		read_name(at, read);
	}
}

static struct result result_of(const struct format *format, const struct read *read) {
	switch (read->kind) {
	case DECIMAL: return nearest(format, &read->number);
	case BINARY:
		if (read->bits.high == 0)
			break;
		return rounded(format, read->bits.high, read->exponent, read->has_more || read->bits.low != 0);
	case INFINITE: return (struct result){(uint64_t)(2 * format->largest + 1) << (format->digits - 1), false};
	case NO_NUMBER: return (struct result){(uint64_t)(4 * format->largest + 3) << (format->digits - 2), false};
	case NOTHING: break;
	}
	return (struct result){0, false};
}

WEAK double strtod(const char *restrict text, char **restrict end) {
	static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	struct read number;
	read(text, &number);
	if (end != NULL)
		*end = (char *)number.end;
	uint64_t digits = number.number.digits;
	int power = number.number.power;
	if (number.kind == DECIMAL && !number.number.has_more && digits <= (uint64_t)1 << 53 && power >= -22 && power <= 22) {
		/* Both are exact, so one operation rounds right. */
		double value = power < 0 ? (double)digits / exact[-power] : (double)digits * exact[power];
		return number.is_negative ? -value : value;
	}
	struct result result = result_of(&DOUBLE, &number);
	if (result.is_out_of_range)
		errno = ERANGE;
	uint64_t bits = result.bits | (uint64_t)number.is_negative << 63;
	double value;
	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

WEAK float strtof(const char *restrict text, char **restrict end) {
	struct read number;
	read(text, &number);
	if (end != NULL)
		*end = (char *)number.end;
	struct result result = result_of(&SINGLE, &number);
	if (result.is_out_of_range)
		errno = ERANGE;
	uint32_t bits = (uint32_t)result.bits | (uint32_t)number.is_negative << 31;
	float value;
	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

#if LDBL_MANT_DIG == 113
static const struct format QUADRUPLE = {113, 16383, 11700};

/* The same for 128 bits. */
static long double rounded_wide(struct wide wide, int exponent, bool has_more, bool *is_out_of_range) {
	const int digits = QUADRUPLE.digits, largest = QUADRUPLE.largest;
	unsigned __int128 bits = (unsigned __int128)wide.high << 64 | wide.low, number;
	int off = 128 - digits + (exponent < 1 - largest ? 1 - largest - exponent : 0);
	if (exponent > largest) {
		number = (unsigned __int128)(2 * largest + 1) << (digits - 1);
		*is_out_of_range = true;
	} else if (off > 128) {
		number = 0;
		*is_out_of_range = true;
	} else {
		unsigned __int128 mantissa = off == 128 ? 0 : bits >> off, rest = bits << (128 - off), half = (unsigned __int128)1 << 127;
		bool up = rest > half || (rest == half && (has_more || ((unsigned)mantissa & 1)));
		number = ((unsigned __int128)(exponent < 1 - largest ? 0 : exponent - 1 + largest) << (digits - 1)) + mantissa + up;
		*is_out_of_range = number >> (digits - 1) > (unsigned)(2 * largest) || (exponent < 1 - largest && (rest != 0 || has_more));
	}
	long double value;
	__builtin_memcpy(&value, &number, sizeof value);
	return value;
}

/* Where integer and power of ten are exact, one operation rounds right. */
static bool is_simple(const struct number *number, long double *value) {
	int power = number->power;
	if (number->has_more || power < -38 || power > 38)
		return false;
	unsigned __int128 ten = 1;
	for (int left = power < 0 ? -power : power; left > 0; left--)
		ten *= 10;
	/* Beyond 113 bits a power of ten still ends with as many zeros as it has tens. */
	*value = power < 0 ? (long double)number->digits / (long double)ten : (long double)number->digits * (long double)ten;
	return true;
}

WEAK long double strtold(const char *restrict text, char **restrict end) {
	struct read number;
	long double value = 0;
	int exponent = 0;
	bool is_out_of_range = false, has_more;
	read(text, &number);
	if (end != NULL)
		*end = (char *)number.end;
	switch (number.kind) {
	case DECIMAL:
		if (number.number.digits == 0 || is_simple(&number.number, &value))
			break;
		if (number.number.power > 5000 || number.number.power < -5000) {
			bool is_large = number.number.power > 0;
			value = rounded_wide((struct wide){(uint64_t)1 << 63, 0}, is_large ? TOO_LARGE : -TOO_LARGE, true, &is_out_of_range);
			break;
		}
		struct wide bits = exact_bits(&number.number, QUADRUPLE.decimals, &exponent, &has_more);
		value = rounded_wide(bits, exponent, has_more, &is_out_of_range);
		break;
	case BINARY:
		if (number.bits.high != 0)
			value = rounded_wide(number.bits, number.exponent, number.has_more, &is_out_of_range);
		break;
	case INFINITE: value = INFINITY; break;
	case NO_NUMBER: value = NAN; break;
	case NOTHING: break;
	}
	if (is_out_of_range)
		errno = ERANGE;
	return number.is_negative ? -value : value;
}
#endif
