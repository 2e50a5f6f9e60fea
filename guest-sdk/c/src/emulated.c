/* With threads: what wasi-libc's emulation libraries have, which were compiled for one. */
#ifdef _REENTRANT
#include <errno.h>
#include <rankine/weak.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Guests are not charged for the processor's time one by one: it is the time that has passed. */
WEAK int getrusage(int who, struct rusage *usage) {
	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD) {
		errno = EINVAL;
		return -1;
	}
	memset(usage, 0, sizeof *usage);
	if (who == RUSAGE_CHILDREN)
		return 0;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	usage->ru_utime.tv_sec = now.tv_sec;
	usage->ru_utime.tv_usec = now.tv_nsec / 1000;
	return 0;
}

/* What SIG_ERR and SIG_IGN point to. */
WEAK void __SIG_ERR(int number) { (void)number; abort(); }
WEAK void __SIG_IGN(int number) { (void)number; }

static void (*handlers[_NSIG])(int);

static void end(int number) {
	psignal(number, "the program ends by a signal");
	abort();
}

/* What a program says about a signal that it does not handle; those that are harmless do nothing. */
static int is_harmless(int number) {
	return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH;
}

WEAK void (*signal(int number, void (*handler)(int)))(int) {
	if (number <= 0 || number >= _NSIG || number == SIGKILL || number == SIGSTOP) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return __atomic_exchange_n(&handlers[number], handler, __ATOMIC_SEQ_CST);
}

WEAK int raise(int number) {
	if (number <= 0 || number >= _NSIG) {
		errno = EINVAL;
		return -1;
	}
	void (*handler)(int) = __atomic_load_n(&handlers[number], __ATOMIC_SEQ_CST);
	if (handler == SIG_IGN || (handler == SIG_DFL && is_harmless(number)))
		return 0;
	if (handler == SIG_DFL)
		end(number);
	handler(number);
	return 0;
}

WEAK void psignal(int number, const char *message) {
	fprintf(stderr, "%s%s%s\n", message ? message : "", message && *message ? ": " : "", strsignal(number));
}
#else
/* One thread: wasi-libc's own. */
typedef int nothing_of_one_thread;
#endif
