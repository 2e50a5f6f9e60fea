/* Numbers that are written and read by the C library: of each block of them a line with a sum over all that came of them; with
 * the number of a block as the argument, all that came of its numbers. What is printed has to be the same everywhere. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 40, NUMBERS = 1500 };

static uint64_t state, sum;
static int shows;

static uint64_t bits(void) {
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned number(unsigned below) { return (unsigned)(bits() >> 33) % below; }

static void note(const char *text) {
	if (shows)
		puts(text);
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 1099511628211u;
}

static void note_bits(uint64_t bits) {
	char text[32];
	sprintf(text, "%016" PRIx64, bits);
	note(text);
}

/* Of all sizes, of ordinary sizes, ends of binary and decimal fractions, powers of ten, the smallest. */
static double real(void) {
	static const double units[] = {1, 2, 4, 8, 10, 100, 1000, 1e5, 1e-5, 1e10, 7};
	uint64_t as_bits = bits();
	double value;
	switch (number(7)) {
	case 0: return (double)(int64_t)(as_bits % 2000000) / units[number(11)];
	case 1: return (double)(as_bits >> number(64));
	case 2: value = 1; for (unsigned left = number(300); left > 0; left--) value *= 10; return number(2) ? value : 1 / value;
	case 3: as_bits &= ((uint64_t)1 << 53) - 1; break;
	case 4: as_bits = (as_bits & 0x800fffffffffffff) | (uint64_t)(1023 - 40 + number(80)) << 52; break;
	default: if ((as_bits >> 52 & 0x7ff) == 0x7ff) as_bits ^= (uint64_t)1 << 60;
	}
	memcpy(&value, &as_bits, sizeof value);
	return value;
}

static void write_one(char *text, size_t size) {
	static const char letters[] = "eEfFgGaA", flags[] = "-+ 0";
	char format[32] = "%", part[16];
	char letter = letters[number(number(4) ? 6 : 8)];
	for (int flag = 0; flag < 4; flag++)
		if (number(8) == 0)
			sprintf(strchr(format, 0), "%c", flags[flag]);
	if (number(3) == 0) {
		sprintf(part, "%u", number(40));
		strcat(format, part);
	}
	/* Of %a without a precision and of small numbers each library has its own form. */
	if (number(4) || (letter | 32) == 'a') {
		sprintf(part, ".%u", number(40) == 0 ? number(800) : number(number(4) ? 18 : 40));
		strcat(format, part);
	}
	sprintf(strchr(format, 0), "%c", letter);
	double value = real();
	if ((letter | 32) == 'a' && fabs(value) < 0x1p-1000)
		value = 1.5;
	snprintf(text, size, format, value);
}

static void write_integer(char *text, size_t size) {
	static const char *const formats[] = {"%lld", "%llu", "%llx", "%#llX", "%llo", "%+lld", "% lld", "%020lld", "%-20lld|", "%.12llu"};
	const char *format = formats[number(10)];
	uint64_t value = bits();
	snprintf(text, size, format, (long long)(value >> number(64)));
}

static void read_one(const char *text) {
	char *end;
	double value = strtod(text, &end), scanned = 0;
	float narrow = strtof(text, NULL);
	uint64_t as_bits;
	uint32_t narrow_bits;
	memcpy(&as_bits, &value, sizeof as_bits);
	memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
	note_bits(as_bits);
	note_bits(narrow_bits);
	note_bits((uint64_t)(end - text));
	int length = -1, count = sscanf(text, "%lf%n", &scanned, &length);
	memcpy(&as_bits, &scanned, sizeof as_bits);
	note_bits(as_bits);
	note_bits((uint64_t)count);
	note_bits((uint64_t)length);
}

/* Digits that are not printf's: the middle between two numbers, and a little more. */
static void write_middle(char *text, size_t size) {
	uint64_t mantissa = (bits() >> 11 | (uint64_t)1 << 52) | 1;
	unsigned halvings = number(20);
	/* An odd integer of 54 bits over a power of two has all its digits in this. */
	mantissa = mantissa * 2 + 1;
	uint64_t whole = mantissa >> halvings, rest = mantissa & (((uint64_t)1 << halvings) - 1);
	int used = snprintf(text, size, "%" PRIu64 ".", whole);
	for (unsigned digit = 0; digit < halvings; digit++) {
		rest *= 10;
		text[used++] = (char)('0' + (rest >> halvings));
		rest &= ((uint64_t)1 << halvings) - 1;
	}
	strcpy(text + used, number(2) ? "" : "000000000000000000000000001");
}

int main(int argc, char **argv) {
	char text[1400];
	int only = argc > 1 ? atoi(argv[1]) : -1;
	shows = only >= 0;
	for (int block = 0; block < BLOCKS; block++) {
		if (only >= 0 && block != only)
			continue;
		state = 88172645463325252u + (uint64_t)block * 7919;
		sum = 14695981039346656037u;
		for (int i = 0; i < NUMBERS; i++) {
			write_one(text, sizeof text);
			note(text);
			read_one(text);
			write_integer(text, sizeof text);
			note(text);
			write_middle(text, sizeof text);
			read_one(text);
		}
		if (only < 0)
			printf("%d %016" PRIx64 "\n", block, sum);
	}
	return 0;
}
