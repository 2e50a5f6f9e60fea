/* Adds interval timers (accepted, never firing) and the setting of times. */
#include_next <sys/time.h>
#ifndef RANKINE_SYS_TIME_H
#define RANKINE_SYS_TIME_H

#include <sys/cdefs.h>

#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2

struct itimerval {
	struct timeval it_interval, it_value;
};

__BEGIN_DECLS
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *, struct itimerval *);
int futimes(int, const struct timeval[2]);
int settimeofday(const struct timeval *, const struct timezone *);
__END_DECLS

#endif
