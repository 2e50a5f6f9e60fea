/* Enough of terminals to ask whether there is one: there is not, tcgetattr fails with ENOTTY. */
#ifndef RANKINE_TERMIOS_H
#define RANKINE_TERMIOS_H

#include <sys/cdefs.h>
#include <sys/types.h>

typedef unsigned tcflag_t;
typedef unsigned speed_t;
typedef unsigned char cc_t;

#define NCCS 32
#define ISIG 1
#define ICANON 2
#define ECHO 8
#define VTIME 5
#define VMIN 6
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2

struct termios {
	tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
	cc_t c_cc[NCCS];
};

__BEGIN_DECLS
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);
__END_DECLS

#endif
