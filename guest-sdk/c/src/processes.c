/* There is one process, and no other can be started. */
#include <errno.h>
#include <rankine/weak.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

WEAK pid_t getppid(void) { return 1; }
WEAK pid_t getpgrp(void) { return getpid(); }
WEAK pid_t getpgid(pid_t process) { return process ? process : getpid(); }
WEAK pid_t getsid(pid_t process) { return process ? process : getpid(); }
WEAK pid_t gettid(void) { return getpid(); }
WEAK int setpgid(pid_t process, pid_t group) { (void)process, (void)group; return 0; }
WEAK pid_t setpgrp(void) { return getpid(); }
WEAK pid_t setsid(void) { return getpid(); }

/* system(NULL) asks whether there is a shell. */
WEAK int system(const char *command) { return command ? UNSUPPORTED : 0; }

static pid_t no_child(void) { errno = ECHILD; return -1; }
WEAK pid_t wait(int *status) { (void)status; return no_child(); }
WEAK pid_t waitpid(pid_t process, int *status, int options) { (void)process, (void)status, (void)options; return no_child(); }
WEAK pid_t wait3(int *status, int options, struct rusage *usage) { (void)status, (void)options, (void)usage; return no_child(); }
WEAK pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
	(void)process, (void)status, (void)options, (void)usage;
	return no_child();
}

