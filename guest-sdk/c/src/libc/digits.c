/* The decimal digits of binary numbers, rounded to the nearest, and where there are two to the even one.
 *
 * Up to 17 digits are an integer: that nearest to the number times a power of ten, of which the upper 128 bits are known. As
 * a rule they tell which integer that is; where not, or for more digits, all digits of the number are computed. Trying what is
 * quick, and knowing when it was not enough, is the way of Loitsch, "Printing floating-point numbers quickly and accurately with
 * integers", PLDI 2010. */
#include "digits.h"
#include "integers.h"
#include <string.h>

/* More do not fit into 63 bits with one to spare. */
#define FEW 17

static const char PAIRS[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051"
			    "5253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
			    "99";

char *rankine_integer_digits(char *end, uint64_t number) {
	uint32_t low;
	for (; number > UINT32_MAX; number /= 100)
		__builtin_memcpy(end -= 2, &PAIRS[number % 100 * 2], 2);
	for (low = (uint32_t)number; low >= 100; low /= 100)
		__builtin_memcpy(end -= 2, &PAIRS[low % 100 * 2], 2);
	if (low >= 10)
		__builtin_memcpy(end -= 2, &PAIRS[low * 2], 2);
	else
		*--end = (char)('0' + low);
	return end;
}

/* The power of ten of a number's first digit, or one less. */
static int estimated_exponent(const struct binary *number) {
	const struct wide *mantissa = &number->mantissa;
	int log = number->power + (mantissa->high != 0 ? 127 - __builtin_clzll(mantissa->high) : 63 - __builtin_clzll(mantissa->low));
	/* log10(2) lies between the two, so this is no more than it should be. */
	return (int)(log * (int64_t)(log < 0 ? 315653 : 315652) >> 20);
}

/* The integer nearest to a number times a power of ten, if it is less than 2^63 and the upper bits tell. */
static bool scaled(const struct binary *number, int power, uint64_t *integer) {
	if (number->mantissa.high != 0 || power < -340 || power > 340)
		return false;
	int shift = __builtin_clzll(number->mantissa.low);
	struct wide product = wide_scaled(power_of_ten(power), number->mantissa.low << shift);
	/* How many of its bits are behind the point. */
	int behind = 63 - (number->power - shift + log2_of_ten(power));
	if (behind < 65 || product.high == UINT64_MAX)
		return false;
	uint64_t whole = 0, fraction = product.high;
	bool has_more = product.low != 0;
	if (behind > 128) {
		*integer = 0;
		return true;
	}
	if (behind < 128) {
		whole = product.high >> (behind - 64);
		fraction = product.high << (128 - behind) | product.low >> (behind - 64);
		has_more = product.low << (128 - behind) != 0;
	}
	const uint64_t half = (uint64_t)1 << 63;
	/* What was cut off is less than 4 of the product's last bit, and 1 of the fraction's. */
	if (!power_is_exact(power) && fraction <= half && fraction + 5 > half)
		return false;
	*integer = whole + (fraction > half || (fraction == half && (has_more || (whole & 1))));
	return true;
}

static void without_zeros(struct digits *digits) {
	while (digits->count > 0 && digits->text[digits->count - 1] == '0')
		digits->count--;
}

/* Digits that are an integer, of which so many are behind the point. */
static void take_integer(struct digits *digits, uint64_t integer, int behind) {
	char room[20], *end = room + sizeof room, *begin = end;
	if (integer != 0)
		begin = rankine_integer_digits(end, integer);
	digits->count = (int)(end - begin);
	digits->exponent = digits->count - 1 - behind;
	for (int at = 0; at < digits->count; at++)
		digits->text[at] = begin[at];
	without_zeros(digits);
}

/* All digits. */
static __attribute__((noinline)) void all_digits(struct digits *digits, const struct binary *number) {
	struct integer integer = {0};
	uint64_t halves[2] = {number->mantissa.low, number->mantissa.high};
	int power = number->power;
	for (int word = 0; word < 4; word++) {
		integer.words[word] = (uint32_t)(halves[word / 2] >> word % 2 * 32);
		if (integer.words[word] != 0)
			integer.count = word + 1;
	}
	/* A negative power of two is one of five and a negative one of ten. */
	int behind = power < 0 ? -power : 0;
	multiply_by_fives(&integer, behind);
	if (power > 0)
		shift(&integer, power);
	/* Nine at a time, from the end of the room, then moved to its beginning. */
	char *end = digits->text + (length(&integer) * 1234 >> 12) + 11, *at = end;
	while (integer.count > 0) {
		uint32_t nine = divide(&integer, 1000000000);
		char *begin = at - 9;
		char *first = rankine_integer_digits(at, nine);
		while (first > begin)
			*--first = '0';
		at = begin;
	}
	while (at < end && *at == '0')
		at++;
	digits->count = (int)(end - at);
	digits->exponent = digits->count - 1 - behind;
	memmove(digits->text, at, (size_t)digits->count);
}

/* Keeps so many digits, which may be none. */
static void keep(struct digits *digits, int count) {
	if (count >= digits->count) {
		without_zeros(digits);
		return;
	}
	if (count < 0) {
		digits->count = 0;
		return;
	}
	char *text = digits->text, next = text[count];
	bool up = next > '5';
	if (next == '5') {
		up = count > 0 && (text[count - 1] & 1);
		for (int at = count + 1; at < digits->count && !up; at++)
			up = text[at] != '0';
	}
	digits->count = count;
	if (up) {
		while (count > 0 && text[count - 1] == '9')
			count--;
		digits->count = count;
		if (count > 0) {
			text[count - 1]++;
		} else {
			text[0] = '1';
			digits->count = 1;
			digits->exponent++;
		}
	}
	without_zeros(digits);
}

void rankine_digits(struct digits *digits, const struct binary *number, int count) {
	static const uint64_t powers[FEW + 1] = {1u,
						 10u,
						 100u,
						 1000u,
						 10000u,
						 100000u,
						 1000000u,
						 10000000u,
						 100000000u,
						 1000000000u,
						 10000000000u,
						 100000000000u,
						 1000000000000u,
						 10000000000000u,
						 100000000000000u,
						 1000000000000000u,
						 10000000000000000u,
						 100000000000000000u};
	if (count <= FEW) {
		int behind = count - 1 - estimated_exponent(number);
		uint64_t integer;
		for (int attempt = 0; attempt < 2 && scaled(number, behind, &integer); attempt++, behind--) {
			/* A digit too many, where the estimate was one less. What is rounded up to a power of ten has a zero too many. */
			if (integer > powers[count])
				continue;
			take_integer(digits, integer, behind);
			return;
		}
	}
	all_digits(digits, number);
	keep(digits, count);
}

void rankine_digits_behind_point(struct digits *digits, const struct binary *number, int count) {
	uint64_t integer;
	if (estimated_exponent(number) + count + 1 <= FEW && scaled(number, count, &integer)) {
		take_integer(digits, integer, count);
		return;
	}
	all_digits(digits, number);
	keep(digits, digits->exponent + 1 + count);
}
