/* The file calls that WASI has no counterpart for. */
#include <errno.h>
#include <fcntl.h>
#include <rankine/weak.h>
#include <rankine/word.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
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


__attribute__((import_module("rankine_files"), import_name("duplicate")))
int rankine_duplicate(int from, int to, rankine_word given);

struct duplicate { int from, to, given; };

static int ask_for_duplicate(void *argument) {
	struct duplicate *asked = argument;
	int given = -1;
	int error = rankine_duplicate(asked->from, asked->to, word_of(&given));
	asked->given = given;
	return error;
}

static int duplicate(int from, int to) {
	struct duplicate asked = {from, to, -1};
	errno = __rankine_on_low_stack(ask_for_duplicate, &asked);
	return errno ? -1 : asked.given;
}
WEAK int dup(int file) { return duplicate(file, -1); }
WEAK int dup2(int from, int to) {
	if (to >= 0)
		return duplicate(from, to);
	errno = EBADF;
	return -1;
}
WEAK int dup3(int from, int to, int flags) {
	(void)flags;
	if (from != to)
		return dup2(from, to);
	errno = EINVAL;
	return -1;
}

/* Adds F_DUPFD: the first descriptor from the argument on that is free. */
int __real_fcntl(int, int, ...);
int __wrap_fcntl(int file, int command, ...) {
	int argument = 0;
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC || command == F_SETFD || command == F_SETFL) {
		va_list rest;
		va_start(rest, command);
		argument = va_arg(rest, int);
		va_end(rest);
	}
	if (command != F_DUPFD && command != F_DUPFD_CLOEXEC)
		return __real_fcntl(file, command, argument);
	if (argument < 0) {
		errno = EINVAL;
		return -1;
	}
	/* F_GETFD knows nothing of what is open. */
	if (__real_fcntl(file, F_GETFL) == -1)
		return -1;
	while (__real_fcntl(argument, F_GETFL) != -1)
		argument++;
	return duplicate(file, argument);
}

/* Callers then copy by reading and writing. */
WEAK ssize_t copy_file_range(int from, off_t *at, int to, off_t *there, size_t size, unsigned flags) {
	(void)from, (void)at, (void)to, (void)there, (void)size, (void)flags;
	return UNSUPPORTED;
}

WEAK int eaccess(const char *path, int mode) { return access(path, mode); }
WEAK char *get_current_dir_name(void) { return getcwd(NULL, 0); }

WEAK int futimes(int file, const struct timeval times[2]) {
	struct timespec fine[2];
	for (int i = 0; times && i < 2; i++)
		fine[i] = (struct timespec){times[i].tv_sec, times[i].tv_usec * 1000};
	return futimens(file, times ? fine : NULL);
}

/* WASI does not tell the size of file systems; the file must exist. There seems to be room: writing tells whether there
 * is. */
#define BLOCK 4096
#define BLOCKS ((uint64_t)1 << 32)
#define LONGEST_NAME 255

static void tell(struct statfs *answer) {
	*answer = (struct statfs){.f_bsize = BLOCK, .f_frsize = BLOCK, .f_namelen = LONGEST_NAME, .f_blocks = BLOCKS,
		.f_bfree = BLOCKS, .f_bavail = BLOCKS, .f_files = BLOCKS, .f_ffree = BLOCKS};
}
static void tell_posix(struct statvfs *answer) {
	*answer = (struct statvfs){.f_bsize = BLOCK, .f_frsize = BLOCK, .f_namemax = LONGEST_NAME, .f_blocks = BLOCKS,
		.f_bfree = BLOCKS, .f_bavail = BLOCKS, .f_files = BLOCKS, .f_ffree = BLOCKS, .f_favail = BLOCKS};
}

WEAK int statfs(const char *path, struct statfs *answer) {
	return access(path, F_OK) != 0 ? -1 : (tell(answer), 0);
}
WEAK int fstatfs(int file, struct statfs *answer) {
	struct stat status;
	return fstat(file, &status) != 0 ? -1 : (tell(answer), 0);
}

/* The C library's always fail: the linker puts these before them (--wrap). */
int __wrap_statvfs(const char *path, struct statvfs *answer) {
	return access(path, F_OK) != 0 ? -1 : (tell_posix(answer), 0);
}
int __wrap_fstatvfs(int file, struct statvfs *answer) {
	struct stat status;
	return fstat(file, &status) != 0 ? -1 : (tell_posix(answer), 0);
}

/* GNU's form (string.h). */
WEAK char *rankine_basename(const char *path) {
	char *slash = strrchr(path, '/');
	return slash ? slash + 1 : (char *)path;
}

/* Holes are not made here; who wants room gets it. */
WEAK int fallocate(int file, int mode, off_t from, off_t size) {
	errno = mode ? ENOTSUP : posix_fallocate(file, from, size);
	return errno ? -1 : 0;
}

WEAK void sync(void) {}
