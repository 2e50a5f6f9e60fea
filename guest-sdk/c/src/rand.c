/* rand(3) and random(3) as the GNU C library has them: one generator for both, random.c's, so that a seed gives the numbers that it gives
 * natively. */
#define _GNU_SOURCE
#include <rankine/weak.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { BYTES = 128 };
static int32_t words[BYTES / sizeof(int32_t)];
static struct random_data data;

#ifdef _REENTRANT
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void) {
	while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		sched_yield();
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }
#else
static void lock(void) {}
static void unlock(void) {}
#endif

/* Who is first has it seeded by 1. */
static void take(void) {
	lock();
	if (data.state == NULL)
		initstate_r(1, (char *)words, BYTES, &data);
}

WEAK long random(void) {
	int32_t number;
	take();
	random_r(&data, &number);
	unlock();
	return number;
}

WEAK void srandom(unsigned seed) {
	take();
	srandom_r(seed, &data);
	unlock();
}

/* The state that was used before. */
WEAK char *initstate(unsigned seed, char *state, size_t bytes) {
	take();
	char *before = (char *)(data.state - 1);
	int status = initstate_r(seed, state, bytes, &data);
	unlock();
	return status == 0 ? before : NULL;
}

WEAK char *setstate(char *state) {
	take();
	char *before = (char *)(data.state - 1);
	int status = setstate_r(state, &data);
	unlock();
	return status == 0 ? before : NULL;
}

WEAK int rand(void) { return (int)random(); }
WEAK void srand(unsigned seed) { srandom(seed); }
