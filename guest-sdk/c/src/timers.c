/* Timers, and the setting of clocks. */
#include <errno.h>
#include <rankine/weak.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Timers are accepted and never fire; the host's --timeout is what ends a program. */
WEAK unsigned alarm(unsigned seconds) { (void)seconds; return 0; }
WEAK unsigned ualarm(unsigned first, unsigned interval) { (void)first, (void)interval; return 0; }
WEAK int getitimer(int which, struct itimerval *value) {
	(void)which;
	memset(value, 0, sizeof *value);
	return 0;
}
WEAK int setitimer(int which, const struct itimerval *value, struct itimerval *old) {
	(void)value;
	return old ? getitimer(which, old) : 0;
}
WEAK int settimeofday(const struct timeval *time, const struct timezone *zone) { (void)time, (void)zone; errno = EPERM; return -1; }
WEAK int clock_settime(clockid_t clock, const struct timespec *time) { (void)clock, (void)time; errno = EPERM; return -1; }
