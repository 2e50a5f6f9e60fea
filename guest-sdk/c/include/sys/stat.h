/* Adds what WASI has no permissions or special files for. */
#include_next <sys/stat.h>
#ifndef RANKINE_SYS_STAT_H
#define RANKINE_SYS_STAT_H

#include <sys/cdefs.h>

__BEGIN_DECLS
mode_t umask(mode_t);
int lchmod(const char *, mode_t);
int mkfifo(const char *, mode_t);
int mknod(const char *, mode_t, dev_t);
__END_DECLS

#endif
