/* Addresses and sizes as the host's own functions take them: 32 bits, in programs with addresses of either width. */
#ifndef RANKINE_WORD_H
#define RANKINE_WORD_H
#include <stdint.h>

typedef uint32_t rankine_word;

/* An address that 32 bits can't hold becomes one where nothing lies. */
static inline rankine_word word_of(const volatile void *address) {
	return (uintptr_t)address > UINT32_MAX ? UINT32_MAX : (rankine_word)(uintptr_t)address;
}

/* Runs a function where what lies on its stack is seen by the host: a thread's own stack may be above 4 GiB (guest-sdk/wide). */
#ifdef __wasm64__
int __rankine_on_low_stack(int (*function)(void *), void *argument);
#else
static inline int __rankine_on_low_stack(int (*function)(void *), void *argument) { return function(argument); }
#endif

#endif
