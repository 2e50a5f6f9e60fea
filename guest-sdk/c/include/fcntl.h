/* Adds fallocate, fcntl's F_DUPFD, and the names of file locks, which it refuses with EINVAL. */
#include_next <fcntl.h>
#ifndef RANKINE_FCNTL_H
#define RANKINE_FCNTL_H

#include <sys/cdefs.h>
#include <sys/types.h>

#ifndef F_GETLK
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#endif
#ifndef F_RDLCK
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#endif
#ifndef F_DUPFD
#define F_DUPFD 0
#define F_DUPFD_CLOEXEC 1030
#endif
#ifndef O_DIRECT
#define O_DIRECT 0
#endif
#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif

#ifdef _GNU_SOURCE
__BEGIN_DECLS
int fallocate(int, int, off_t, off_t);
__END_DECLS
#endif

#endif
