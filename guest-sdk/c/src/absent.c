/* What only fails in a sandbox: there is one process, no other can be started, and no file is but a file or a folder. Programs are
 * linked with these functions, and configure scripts that ask for them are told that there are none
 * (host/toolchain/src/cc/probe.rs). */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <rankine/weak.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

WEAK int lchmod(const char *path, mode_t mode) { (void)path, (void)mode; return UNSUPPORTED; }
WEAK int mkfifo(const char *path, mode_t mode) { (void)path, (void)mode; return UNSUPPORTED; }
WEAK int mknod(const char *path, mode_t mode, dev_t device) { (void)path, (void)mode, (void)device; return UNSUPPORTED; }
WEAK int fchdir(int file) { (void)file; return UNSUPPORTED; }
WEAK int chroot(const char *path) { (void)path; return UNSUPPORTED; }

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

/* All memory can be read and written, and none can be executed. */
WEAK int mprotect(void *start, size_t length, int protection) {
	(void)start, (void)length;
	if (protection == (PROT_READ | PROT_WRITE))
		return 0;
	errno = EACCES;
	return -1;
}

WEAK FILE *popen(const char *command, const char *mode) { (void)command, (void)mode; errno = ENOSYS; return NULL; }
WEAK int pclose(FILE *file) { (void)file; errno = ECHILD; return -1; }

WEAK int feenableexcept(int exceptions) { (void)exceptions; return -1; }
