/* The integers of the SDK's fma, natively, beside the machine's own. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double integers_fma(double, double, double);
float integers_fmaf(float, float, float);

static uint64_t state = 88172645463325252u;

static uint64_t bits(void) {
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Of all sizes, of sizes near one, with few bits, small ones, and those that are none. */
static double real(void) {
	static const double special[] = {0., -0., INFINITY, -INFINITY, NAN, 5e-324, 1.7e308, 1};
	uint64_t as_bits = bits(), mantissa = as_bits & 0x800fffffffffffff;
	double value;
	switch (bits() % 8) {
	case 0: case 1: case 2: as_bits = mantissa | (963 + bits() % 120) << 52; break;
	case 3: as_bits &= ~(((uint64_t)1 << bits() % 52) - 1); break;
	case 4: as_bits = mantissa | bits() % 60 << 52; break;
	case 5: if (bits() % 8 == 0) return special[bits() % 8];
	}
	memcpy(&value, &as_bits, sizeof value);
	return value;
}

static int is_same(double left, double right) { return memcmp(&left, &right, sizeof left) == 0 || (left != left && right != right); }

int main(void) {
	for (int i = 0; i < 500000; i++) {
		double x = real(), y = real(), z = real();
		if (i % 4 == 0)
			z = -x * y;
		if (i % 8 == 0)
			z = nextafter(z, INFINITY);
		if (!is_same(fma(x, y, z), integers_fma(x, y, z))) {
			printf("fma(%a, %a, %a) is %a, not %a\n", x, y, z, fma(x, y, z), integers_fma(x, y, z));
			return 1;
		}
		float a = (float)x, b = (float)y, c = (float)z;
		if (!is_same(fmaf(a, b, c), integers_fmaf(a, b, c))) {
			printf("fmaf(%a, %a, %a) is %a, not %a\n", a, b, c, fmaf(a, b, c), integers_fmaf(a, b, c));
			return 1;
		}
	}
	return 0;
}
