/* random(3) with its state in the caller's hands, as the GNU C library has it, number by number: each is the sum of two earlier
 * ones (Knuth, The Art of Computer Programming, volume 2, section 3.2.2), and for the shortest state a linear congruence.
 * And random bytes, as Linux names them. */
#define _GNU_SOURCE
#include <errno.h>
#include <rankine/weak.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* Numbers of a state, and how far before the last one the other one lies; by the least bytes of a state. */
static const struct { short bytes, degree, separation; } kinds[] = {{8, 0, 0}, {32, 7, 3}, {64, 15, 1}, {128, 31, 3}, {256, 63, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int invalid(void) { errno = EINVAL; return -1; }

/* The word before the numbers says the kind and where the last one is. */
static void note(struct random_data *data) {
	int at = data->rand_type == 0 ? 0 : (int)(data->rptr - data->state);
	data->state[-1] = at * KINDS + data->rand_type;
}

static void use(struct random_data *data, int32_t *state, int kind, int at) {
	data->rand_type = kind;
	data->rand_deg = kinds[kind].degree;
	data->rand_sep = kinds[kind].separation;
	data->state = state;
	data->end_ptr = state + data->rand_deg;
	data->rptr = state + at;
	data->fptr = kind == 0 ? state : state + (at + data->rand_sep) % data->rand_deg;
}

WEAK int random_r(struct random_data *restrict data, int32_t *restrict result) {
	if (data == NULL || result == NULL)
		return invalid();
	if (data->rand_type == 0) {
		*data->state = (int32_t)(((uint32_t)*data->state * 1103515245u + 12345u) & 0x7fffffff);
		*result = *data->state;
		return 0;
	}
	uint32_t sum = (uint32_t)*data->fptr + (uint32_t)*data->rptr;
	*data->fptr = (int32_t)sum;
	*result = (int32_t)(sum >> 1);
	if (++data->fptr == data->end_ptr)
		data->fptr = data->state;
	if (++data->rptr == data->end_ptr)
		data->rptr = data->state;
	return 0;
}

WEAK int srandom_r(unsigned seed, struct random_data *data) {
	if (data == NULL || data->rand_type < 0 || data->rand_type >= KINDS)
		return invalid();
	int32_t word = seed == 0 ? 1 : (int32_t)seed, unused;
	data->state[0] = word;
	for (int at = 1; at < data->rand_deg; at++) {
		/* 16807 times the one before, modulo 2^31 - 1. */
		word = (int32_t)((int64_t)16807 * word % 2147483647);
		if (word < 0)
			word += 2147483647;
		data->state[at] = word;
	}
	use(data, data->state, data->rand_type, 0);
	for (int left = 10 * data->rand_deg; left > 0; left--)
		random_r(data, &unused);
	return 0;
}

WEAK int initstate_r(unsigned seed, char *restrict state, size_t bytes, struct random_data *restrict data) {
	if (data == NULL || state == NULL || bytes < (size_t)kinds[0].bytes)
		return invalid();
	if (data->state != NULL)
		note(data);
	int kind = KINDS - 1;
	while (bytes < (size_t)kinds[kind].bytes)
		kind--;
	use(data, (int32_t *)state + 1, kind, 0);
	srandom_r(seed, data);
	note(data);
	return 0;
}

WEAK int setstate_r(char *restrict state, struct random_data *restrict data) {
	if (data == NULL || state == NULL)
		return invalid();
	int32_t word = *(int32_t *)state;
	int kind = word % KINDS, at = word / KINDS;
	if (word < 0 || (kind != 0 && at >= kinds[kind].degree))
		return invalid();
	if (data->state != NULL)
		note(data);
	use(data, (int32_t *)state + 1, kind, at);
	return 0;
}

WEAK ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
	(void)flags;
	/* At a time getentropy gives no more. */
	enum { MOST = 256 };
	size_t done = 0;
	while (done < size) {
		size_t now = size - done < MOST ? size - done : MOST;
		if (getentropy((char *)bytes + done, now) != 0)
			return -1;
		done += now;
	}
	return (ssize_t)done;
}
