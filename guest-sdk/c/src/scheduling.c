/* Processors and priorities. */
#include <errno.h>
#include <rankine/weak.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many threads of a rank can run at once: the host says so to those that can have some. */
static int processors(void) {
	const char *text = getenv("RANKINE_PROCESSORS");
	int count = text ? atoi(text) : 1;
	return count < 1 ? 1 : count > CPU_SETSIZE ? CPU_SETSIZE : count;
}

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
	for (int i = 0; i < processors() && (size_t)i < 8 * size; i++)
		((unsigned char *)set)[i / 8] |= 1 << i % 8;
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

#ifdef _REENTRANT
/* The linker puts it before the C library's (--wrap), which knows of one processor. */
long __real_sysconf(int);
long __wrap_sysconf(int name) {
	return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? processors() : __real_sysconf(name);
}
#endif
