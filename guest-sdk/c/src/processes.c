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

WEAK pid_t fork(void) { return UNSUPPORTED; }
WEAK pid_t vfork(void) { return UNSUPPORTED; }
WEAK int daemon(int stay, int keep) { (void)stay, (void)keep; return UNSUPPORTED; }
WEAK int execv(const char *path, char *const argv[]) { (void)path, (void)argv; return UNSUPPORTED; }
WEAK int execve(const char *path, char *const argv[], char *const envp[]) {
	(void)path, (void)argv, (void)envp;
	return UNSUPPORTED;
}
WEAK int execvp(const char *file, char *const argv[]) { (void)file, (void)argv; return UNSUPPORTED; }
WEAK int execl(const char *path, const char *first, ...) { (void)path, (void)first; return UNSUPPORTED; }
WEAK int execlp(const char *file, const char *first, ...) { (void)file, (void)first; return UNSUPPORTED; }
WEAK int execle(const char *path, const char *first, ...) { (void)path, (void)first; return UNSUPPORTED; }
WEAK int pipe(int files[2]) { (void)files; return UNSUPPORTED; }
WEAK int pipe2(int files[2], int flags) { (void)files, (void)flags; return UNSUPPORTED; }
WEAK long syscall(long number, ...) { (void)number; return UNSUPPORTED; }

/* system(NULL) asks whether there is a shell. */
WEAK int system(const char *command) { return command ? UNSUPPORTED : 0; }
WEAK FILE *popen(const char *command, const char *mode) { (void)command, (void)mode; errno = ENOSYS; return NULL; }
WEAK int pclose(FILE *file) { (void)file; errno = ECHILD; return -1; }

static pid_t no_child(void) { errno = ECHILD; return -1; }
WEAK pid_t wait(int *status) { (void)status; return no_child(); }
WEAK pid_t waitpid(pid_t process, int *status, int options) { (void)process, (void)status, (void)options; return no_child(); }
WEAK pid_t wait3(int *status, int options, struct rusage *usage) { (void)status, (void)options, (void)usage; return no_child(); }
WEAK pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
	(void)process, (void)status, (void)options, (void)usage;
	return no_child();
}

