/* Real numbers as Fortran's runtime reads them, where that is quick: strtod's way. Flang's own, which computes with all digits of
 * each number, takes what is said no to here. It writes numbers as quickly as printf. */
#include "decimal.h"
#include <stddef.h>

bool rankine_fortran_read_real(const char **text, const char *end, int precision, uint64_t *bits);

static const struct format SINGLE = SINGLE_FORMAT, DOUBLE = DOUBLE_FORMAT;

static inline bool is_digit(char character) { return (unsigned)character - '0' < 10; }

/* Digits with a point, without their sign: an integer of up to 19 digits and its power of ten. */
static const char *read_digits(const char *at, const char *end, uint64_t *digits, int *power) {
	const char *begin = at, *point = NULL;
	int zeros = 0, count = 0;
	*digits = 0;
	for (; at != end; at++) {
		if (is_digit(*at)) {
			*digits = *digits * 10 + (uint64_t)(*at - '0');
			zeros += *digits == 0;
			count++;
		} else if (*at == '.' && point == NULL) {
			point = at;
		} else {
			break;
		}
	}
	*power = point == NULL ? 0 : (int)(point + 1 - at);
	return at - begin > 100 || count - zeros > 19 || count == 0 ? NULL : at;
}

/* An exponent with its letter, if there is one; null where it is not a plain one. */
static const char *read_exponent(const char *at, const char *end, int *power) {
	if (at == end || (*at | 32) < 'd' || ((*at | 32) > 'e' && (*at | 32) != 'q'))
		return at;
	bool is_negative = false;
	int exponent = 0;
	if (++at != end && (*at == '-' || *at == '+'))
		is_negative = *at++ == '-';
	const char *first = at;
	for (; at != end && is_digit(*at); at++) {
		if (at - first == 4)
			return NULL;
		exponent = exponent * 10 + (*at - '0');
	}
	*power += is_negative ? -exponent : exponent;
	return at == first ? NULL : at;
}

/* Reads what begins at a text, which ends there, or if that is null with another character than those of numbers. Says no to what is
 * no number, and to what may be too large, too small or between two numbers. */
bool rankine_fortran_read_real(const char **text, const char *end, int precision, uint64_t *bits) {
	const struct format *format = precision == DOUBLE.digits ? &DOUBLE : &SINGLE;
	const char *at = *text;
	uint64_t digits;
	int power;
	while (at != end && *at == ' ')
		at++;
	bool is_negative = at != end && *at == '-';
	if (at != end && (*at == '-' || *at == '+'))
		at++;
	if ((at = read_digits(at, end, &digits, &power)) == NULL || (at = read_exponent(at, end, &power)) == NULL)
		return false;
	struct result result = {0, false};
	if (digits != 0 && (!rankine_nearest(format, digits, power, &result) || result.is_out_of_range))
		return false;
	*bits = result.bits | (uint64_t)is_negative << (format == &DOUBLE ? 63 : 31);
	*text = at;
	return true;
}
