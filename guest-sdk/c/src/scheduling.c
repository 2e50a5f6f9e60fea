/* Processors and priorities. */
#include <errno.h>
#include <rankine/weak.h>
#include <sched.h>
#include <string.h>

/* A rank runs on one processor; which one is the host's business. */
WEAK int rankine_cpu_count(const cpu_set_t *set) {
	int count = 0;
	for (size_t i = 0; i < sizeof set->bits; i++)
		count += __builtin_popcount(set->bits[i]);
	return count;
}
WEAK int sched_getcpu(void) { return 0; }
WEAK int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
	(void)process;
	memset(set, 0, size);
	((unsigned char *)set)[0] = 1;
	return 0;
}
WEAK int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) { (void)process, (void)size, (void)set; return 0; }
WEAK int sched_get_priority_max(int policy) { (void)policy; return 0; }
WEAK int sched_get_priority_min(int policy) { (void)policy; return 0; }
WEAK int sched_getscheduler(pid_t process) { (void)process; return SCHED_OTHER; }
WEAK int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters) {
	(void)process, (void)policy, (void)parameters;
	errno = EPERM;
	return -1;
}
WEAK int sched_getparam(pid_t process, struct sched_param *parameters) {
	(void)process;
	memset(parameters, 0, sizeof *parameters);
	return 0;
}
WEAK int sched_setparam(pid_t process, const struct sched_param *parameters) { (void)process, (void)parameters; return 0; }
