/* The decimal digits of binary numbers, for printf. */
#ifndef RANKINE_DIGITS_H
#define RANKINE_DIGITS_H

#include "decimal.h"

/* The most digits that a double has, and a long double. */
#define DIGITS_OF_DOUBLE 800
#define DIGITS_OF_LONG 11600

/* A finite number above zero: an integer times a power of two. */
struct binary {
	struct wide mantissa;
	int power;
};

/* Digits without zeros at their end; the first stands for ten to the power of the exponent. None at all is zero. */
struct digits {
	int count, exponent;
	char *text;
};

/* Writes the digits of a number, rounded to so many (at least one), into the text. */
void rankine_digits(struct digits *, const struct binary *, int count);
/* The same, rounded to so many behind the point. */
void rankine_digits_behind_point(struct digits *, const struct binary *, int count);
/* Writes the digits of an integer so that they end there; where they begin. */
char *rankine_integer_digits(char *end, uint64_t number);

#endif
