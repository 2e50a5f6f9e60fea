/* There is no terminal. */
#include <errno.h>
#include <rankine/weak.h>
#include <termios.h>

WEAK int tcgetattr(int file, struct termios *settings) { (void)file, (void)settings; errno = ENOTTY; return -1; }
WEAK int tcsetattr(int file, int when, const struct termios *settings) { (void)file, (void)when, (void)settings; errno = ENOTTY; return -1; }
