/* Powers of ten. */
#include "powers.h"
#include "decimal.h"

struct wide power_of_ten(int power) {
	int step = (power - FIRST_POWER) / STEP, rest = (power - FIRST_POWER) % STEP;
	struct wide number = {powers_of_ten[step][0], powers_of_ten[step][1]};
	if (rest == 0)
		return number;
	uint64_t five = powers_of_five[rest];
	number = wide_scaled(number, five << __builtin_clzll(five));
	return number.high >> 63 ? number : wide_doubled(number);
}
