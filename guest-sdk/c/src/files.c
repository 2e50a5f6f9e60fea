/* The file calls that WASI has no counterpart for. */
#include <errno.h>
#include <rankine/weak.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <unistd.h>

WEAK mode_t umask(mode_t mask) {
	static mode_t current = 022;
	mode_t before = current;
	current = mask & 0777;
	return before;
}

/* There is one user, so giving a file to somebody changes nothing; it must exist, though. */
WEAK int chown(const char *path, uid_t user, gid_t group) {
	(void)user, (void)group;
	return access(path, F_OK);
}
WEAK int lchown(const char *path, uid_t user, gid_t group) { return chown(path, user, group); }
WEAK int fchown(int file, uid_t user, gid_t group) {
	struct stat status;
	(void)user, (void)group;
	return fstat(file, &status);
}

WEAK int lchmod(const char *path, mode_t mode) { (void)path, (void)mode; return UNSUPPORTED; }
WEAK int mkfifo(const char *path, mode_t mode) { (void)path, (void)mode; return UNSUPPORTED; }
WEAK int mknod(const char *path, mode_t mode, dev_t device) { (void)path, (void)mode, (void)device; return UNSUPPORTED; }
WEAK int dup(int file) { (void)file; return UNSUPPORTED; }
WEAK int dup2(int from, int to) { (void)from, (void)to; return UNSUPPORTED; }
WEAK int dup3(int from, int to, int flags) { (void)from, (void)to, (void)flags; return UNSUPPORTED; }
WEAK int fchdir(int file) { (void)file; return UNSUPPORTED; }
/* Callers then copy by reading and writing. */
WEAK ssize_t copy_file_range(int from, off_t *at, int to, off_t *there, size_t size, unsigned flags) {
	(void)from, (void)at, (void)to, (void)there, (void)size, (void)flags;
	return UNSUPPORTED;
}
WEAK int chroot(const char *path) { (void)path; return UNSUPPORTED; }

WEAK int eaccess(const char *path, int mode) { return access(path, mode); }
WEAK char *get_current_dir_name(void) { return getcwd(NULL, 0); }

WEAK int futimes(int file, const struct timeval times[2]) {
	struct timespec fine[2];
	for (int i = 0; times && i < 2; i++)
		fine[i] = (struct timespec){times[i].tv_sec, times[i].tv_usec * 1000};
	return futimens(file, times ? fine : NULL);
}

/* WASI does not tell the size of file systems; the file must exist. */
WEAK int statfs(const char *path, struct statfs *answer) {
	if (access(path, F_OK) != 0)
		return -1;
	*answer = (struct statfs){.f_bsize = 4096, .f_frsize = 4096, .f_namelen = 255};
	return 0;
}
WEAK int fstatfs(int file, struct statfs *answer) {
	struct stat status;
	if (fstat(file, &status) != 0)
		return -1;
	*answer = (struct statfs){.f_bsize = 4096, .f_frsize = 4096, .f_namelen = 255};
	return 0;
}

WEAK void sync(void) {}
