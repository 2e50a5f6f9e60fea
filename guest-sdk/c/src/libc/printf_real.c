/* What printf makes of real numbers. */
#include "printf.h"
#include "digits.h"
#include <float.h>
#include <limits.h>
#include <string.h>

/* A real number taken apart. */
struct real {
	bool is_negative, is_nan, is_infinite;
	/* The mantissa is an integer; the exponent of a hexadecimal number's first digit. */
	struct binary binary;
	int mantissa_bits, exponent;
};

static struct real apart(double number) {
	uint64_t bits;
	__builtin_memcpy(&bits, &number, sizeof bits);
	int exponent = (int)(bits >> 52 & 0x7ff);
	uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
	struct real real = {.is_negative = bits >> 63, .mantissa_bits = 52};
	real.is_nan = exponent == 0x7ff && mantissa != 0;
	real.is_infinite = exponent == 0x7ff && mantissa == 0;
	real.binary.mantissa.low = mantissa | (uint64_t)(exponent != 0) << 52;
	real.exponent = (exponent == 0 ? 1 : exponent) - 1023;
	real.binary.power = real.exponent - 52;
	return real;
}

#if LDBL_MANT_DIG == 113
static struct real long_apart(long double number) {
	uint64_t bits[2];
	__builtin_memcpy(bits, &number, sizeof bits);
	int exponent = (int)(bits[1] >> 48 & 0x7fff);
	struct wide mantissa = {bits[1] & (((uint64_t)1 << 48) - 1), bits[0]};
	struct real real = {.is_negative = bits[1] >> 63, .mantissa_bits = 112};
	real.is_nan = exponent == 0x7fff && (mantissa.high | mantissa.low) != 0;
	real.is_infinite = exponent == 0x7fff && (mantissa.high | mantissa.low) == 0;
	mantissa.high |= (uint64_t)(exponent != 0) << 48;
	real.binary.mantissa = mantissa;
	real.exponent = (exponent == 0 ? 1 : exponent) - 16383;
	real.binary.power = real.exponent - 112;
	return real;
}
#endif

static bool is_zero(const struct binary *number) { return (number->mantissa.high | number->mantissa.low) == 0; }

static bool is_upper(const struct conversion *conversion) { return !(conversion->letter & 32); }

/* Zeros between sign and digits, for a number that is so long otherwise. */
static int zeros_before(const struct conversion *conversion, int length) {
	return (conversion->flags & (ZEROS | LEFT)) == ZEROS && conversion->width > length ? conversion->width - length : 0;
}

/* Writes so many digits from a place on, with zeros where there are none. */
static void put_digits(struct sink *sink, const struct digits *digits, int from, int count) {
	int zeros = from < 0 ? (count < -from ? count : -from) : 0;
	fill(sink, '0', zeros);
	from += zeros;
	count -= zeros;
	int there = from < digits->count ? digits->count - from : 0;
	if (there > count)
		there = count;
	if (there > 0)
		put(sink, digits->text + from, (size_t)there);
	fill(sink, '0', count - there);
}

/* As %f does: so many digits behind the point. */
static void put_fixed(struct sink *sink, const struct conversion *conversion, char sign, const struct digits *digits, int behind) {
	int exponent = digits->count == 0 ? 0 : digits->exponent;
	int before = exponent < 0 ? 1 : exponent + 1;
	bool has_point = behind > 0 || conversion->flags & OTHER;
	int length = (sign != 0) + before + has_point;
	/* The width may be less than what there is; neither sum exceeds an int. */
	int zeros = zeros_before(conversion, length > INT_MAX - behind ? INT_MAX : length + behind);
	int blanks = conversion->width - length - zeros < behind ? 0 : conversion->width - length - zeros - behind;
	if (!(conversion->flags & LEFT))
		fill(sink, ' ', blanks);
	put(sink, &sign, sign != 0);
	fill(sink, '0', zeros);
	if (exponent < 0)
		put(sink, "0", 1);
	else
		put_digits(sink, digits, 0, before);
	put(sink, ".", has_point);
	put_digits(sink, digits, exponent + 1, behind);
	if (conversion->flags & LEFT)
		fill(sink, ' ', blanks);
}

/* As %e does. */
static void put_with_exponent(struct sink *sink, const struct conversion *conversion, char sign, const struct digits *digits,
			      int behind) {
	int exponent = digits->count == 0 ? 0 : digits->exponent;
	char room[16], *end = room + sizeof room;
	char *begin = rankine_integer_digits(end, (uint64_t)(exponent < 0 ? -exponent : exponent));
	if (end - begin < 2)
		*--begin = '0';
	*--begin = exponent < 0 ? '-' : '+';
	*--begin = is_upper(conversion) ? 'E' : 'e';
	bool has_point = behind > 0 || conversion->flags & OTHER;
	int length = (sign != 0) + 1 + has_point + (int)(end - begin);
	int zeros = zeros_before(conversion, length > INT_MAX - behind ? INT_MAX : length + behind);
	int blanks = conversion->width - length - zeros < behind ? 0 : conversion->width - length - zeros - behind;
	if (!(conversion->flags & LEFT))
		fill(sink, ' ', blanks);
	put(sink, &sign, sign != 0);
	fill(sink, '0', zeros);
	put_digits(sink, digits, 0, 1);
	put(sink, ".", has_point);
	put_digits(sink, digits, 1, behind);
	put(sink, begin, (size_t)(end - begin));
	if (conversion->flags & LEFT)
		fill(sink, ' ', blanks);
}

/* %a: the bits behind the first digit, rounded to so many digits. */
static void put_hexadecimal(struct sink *sink, const struct conversion *conversion, char sign, const struct real *real) {
	uint64_t high = real->binary.mantissa.high, low = real->binary.mantissa.low;
	int digits = real->mantissa_bits / 4, precision = conversion->precision, exponent = real->exponent;
	if (is_zero(&real->binary))
		exponent = 0;
	if (precision >= 0 && precision < digits) {
		/* To the nearest; what is half goes to the even one. */
		int off = 4 * (digits - precision);
		unsigned __int128 bits = (unsigned __int128)high << 64 | low, unit = (unsigned __int128)1 << off;
		unsigned __int128 rest = bits & (unit - 1);
		bits -= rest;
		if (rest > unit / 2 || (rest == unit / 2 && (bits & unit)))
			bits += unit;
		high = (uint64_t)(bits >> 64);
		low = (uint64_t)bits;
	}
	char room[40], *end = room + sizeof room, *begin;
	const char *names = is_upper(conversion) ? "0123456789ABCDEF" : "0123456789abcdef";
	for (begin = end; end - begin < digits + 1; low = low >> 4 | high << 60, high >>= 4)
		*--begin = names[low & 15];
	char first = *begin++;
	int there = digits;
	if (precision < 0)
		for (; there > 0 && begin[there - 1] == '0'; there--)
			;
	else if (precision < there)
		there = precision;
	struct digits text = {.text = begin, .count = there};
	int behind = precision < 0 ? there : precision;
	char before[4] = {sign, '0', is_upper(conversion) ? 'X' : 'x', 0};
	char power[16], *power_end = power + sizeof power;
	char *power_begin = rankine_integer_digits(power_end, (uint64_t)(exponent < 0 ? -exponent : exponent));
	*--power_begin = exponent < 0 ? '-' : '+';
	*--power_begin = is_upper(conversion) ? 'P' : 'p';
	bool has_point = behind > 0 || conversion->flags & OTHER;
	int length = (sign != 0) + 3 + has_point + (int)(power_end - power_begin);
	int zeros = zeros_before(conversion, length > INT_MAX - behind ? INT_MAX : length + behind);
	int blanks = conversion->width - length - zeros < behind ? 0 : conversion->width - length - zeros - behind;
	if (!(conversion->flags & LEFT))
		fill(sink, ' ', blanks);
	put(sink, before + (sign == 0), (size_t)(2 + (sign != 0)));
	fill(sink, '0', zeros);
	put(sink, &first, 1);
	put(sink, ".", has_point);
	put_digits(sink, &text, 0, behind);
	put(sink, power_begin, (size_t)(power_end - power_begin));
	if (conversion->flags & LEFT)
		fill(sink, ' ', blanks);
}

static void put_general(struct sink *sink, const struct conversion *conversion, char sign, const struct digits *digits, int count) {
	int exponent = digits->count == 0 ? 0 : digits->exponent;
	int most = conversion->flags & OTHER ? count : digits->count;
	if (exponent >= -4 && exponent < count)
		put_fixed(sink, conversion, sign, digits, most - 1 - exponent < 0 ? 0 : most - 1 - exponent);
	else
		put_with_exponent(sink, conversion, sign, digits, most > 0 ? most - 1 : 0);
}

static void put_finite(struct sink *sink, const struct conversion *conversion, struct real *real, char *room) {
	char sign = sign_of(conversion, real->is_negative), letter = conversion->letter | 32;
	if (letter == 'a') {
		put_hexadecimal(sink, conversion, sign, real);
		return;
	}
	struct digits digits = {.text = room};
	int precision = conversion->precision < 0 ? 6 : conversion->precision;
	int count = letter == 'g' ? (precision == 0 ? 1 : precision) : precision + (precision < INT_MAX);
	if (!is_zero(&real->binary)) {
		if (real->binary.mantissa.high == 0 && real->binary.power < 0) {
			int zeros = __builtin_ctzll(real->binary.mantissa.low);
			zeros = zeros < -real->binary.power ? zeros : -real->binary.power;
			real->binary.mantissa.low >>= zeros;
			real->binary.power += zeros;
		}
		if (letter == 'f')
			rankine_digits_behind_point(&digits, &real->binary, precision);
		else
			rankine_digits(&digits, &real->binary, count);
	}
	if (letter == 'f')
		put_fixed(sink, conversion, sign, &digits, precision);
	else if (letter == 'e')
		put_with_exponent(sink, conversion, sign, &digits, precision);
	else
		put_general(sink, conversion, sign, &digits, count);
}

static bool put_not_finite(struct sink *sink, const struct conversion *conversion, const struct real *real) {
	if (!real->is_nan && !real->is_infinite)
		return false;
	char sign = sign_of(conversion, real->is_negative);
	const char *name = is_upper(conversion) ? (real->is_nan ? "NAN" : "INF") : (real->is_nan ? "nan" : "inf");
	put_padded(sink, conversion, &sign, sign != 0, 0, name, 3);
	return true;
}

void put_real(struct sink *sink, const struct conversion *conversion, double number) {
	char room[DIGITS_OF_DOUBLE];
	struct real real = apart(number);
	if (!put_not_finite(sink, conversion, &real))
		put_finite(sink, conversion, &real, room);
}

void put_long_real(struct sink *sink, const struct conversion *conversion, long double number) {
#if LDBL_MANT_DIG == 113
	char room[DIGITS_OF_LONG];
	struct real real = long_apart(number);
	if (!put_not_finite(sink, conversion, &real))
		put_finite(sink, conversion, &real, room);
#else
	put_real(sink, conversion, (double)number);
#endif
}
