/* Adds time zones (always UTC), the clocks of WASI that wasi-libc has no names for, and those that are like one of these. */
#include_next <time.h>
#ifndef RANKINE_TIME_H
#define RANKINE_TIME_H

#include <sys/cdefs.h>

#ifdef CLOCK_MONOTONIC
#ifndef CLOCK_PROCESS_CPUTIME_ID
__BEGIN_DECLS
extern const struct __clockid rankine_clock_of_process, rankine_clock_of_thread;
__END_DECLS
#define CLOCK_PROCESS_CPUTIME_ID (&rankine_clock_of_process)
#define CLOCK_THREAD_CPUTIME_ID (&rankine_clock_of_thread)
#endif
#define CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC
#define CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME
#endif

__BEGIN_DECLS
#if defined(_POSIX_SOURCE) || defined(_POSIX_C_SOURCE) || defined(_XOPEN_SOURCE) || defined(_GNU_SOURCE) || defined(_BSD_SOURCE)
void tzset(void);
extern char *tzname[2];
extern long timezone;
extern int daylight;
#ifdef CLOCK_MONOTONIC
int clock_settime(clockid_t, const struct timespec *);
#endif
#endif
__END_DECLS

#endif
