/* There is no terminal whose settings could be changed; a standard stream may be one nevertheless. */
#include <errno.h>
#include <rankine/weak.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* The C library takes every standard stream for a terminal, so that lines appear when they are complete. */
WEAK int isatty(int file) {
	struct stat status;
	if (fstat(file, &status) != 0)
		return 0;
	if (S_ISCHR(status.st_mode) && status.st_ino == 0)
		return 1;
	errno = ENOTTY;
	return 0;
}

/* What Fortran's runtime asks, which keeps lines back from what is no terminal: its linker puts this before (--wrap), so that they appear
 * as those of C do. */
int __isatty(int file);
int __wrap_isatty(int file) { return __isatty(file); }

WEAK int tcgetattr(int file, struct termios *settings) { (void)file, (void)settings; errno = ENOTTY; return -1; }
WEAK int tcsetattr(int file, int when, const struct termios *settings) { (void)file, (void)when, (void)settings; errno = ENOTTY; return -1; }
