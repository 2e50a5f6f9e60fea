/* Use of resources, and limits. */
#include <rankine/weak.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The time since the program began stands for processor time, and linear memory for the resident set. */
WEAK int getrusage(int who, struct rusage *usage) {
	memset(usage, 0, sizeof *usage);
	if (who == RUSAGE_CHILDREN)
		return 0;
	long long used = clock();
	usage->ru_utime.tv_sec = used / 1000000000;
	usage->ru_utime.tv_usec = used % 1000000000 / 1000;
	usage->ru_maxrss = (long)(__builtin_wasm_memory_size(0) * 64);
	return 0;
}

WEAK int getrlimit(int resource, struct rlimit *limit) {
	rlim_t value = RLIM_INFINITY;
	if (resource == RLIMIT_CORE)
		value = 0;
	else if (resource == RLIMIT_AS || resource == RLIMIT_DATA || resource == RLIMIT_RSS)
		value = 1ULL << 32;
	else if (resource == RLIMIT_NOFILE)
		value = 1024;
	*limit = (struct rlimit){value, value};
	return 0;
}
WEAK int setrlimit(int resource, const struct rlimit *limit) { (void)resource, (void)limit; return 0; }
WEAK int getdtablesize(void) { return 1024; }
WEAK int getpriority(int which, unsigned who) { (void)which, (void)who; return 0; }
WEAK int setpriority(int which, unsigned who, int value) { (void)which, (void)who, (void)value; return 0; }
WEAK int nice(int by) { (void)by; return 0; }
