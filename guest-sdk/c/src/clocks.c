/* The clocks of time that was computed, which the host has and wasi-libc has no names for. To it a clock is a structure with
 * WASI's number. */
#include <rankine/weak.h>
#include <time.h>
#include <wasi/api.h>

struct __clockid {
	__wasi_clockid_t id;
};

WEAK const struct __clockid rankine_clock_of_process = {__WASI_CLOCKID_PROCESS_CPUTIME_ID};
WEAK const struct __clockid rankine_clock_of_thread = {__WASI_CLOCKID_THREAD_CPUTIME_ID};
