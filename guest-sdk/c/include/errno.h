/* wasi-libc declares errno as a variable of the thread, which the `extern int errno;` of old programs contradicts. As what
 * a function points to, as elsewhere, it does not. */
#include_next <errno.h>
#ifndef RANKINE_ERRNO_H
#define RANKINE_ERRNO_H

#include <sys/cdefs.h>

__BEGIN_DECLS
__attribute__((__const__)) int *__errno_location(void);
__END_DECLS

#undef errno
#define errno (*__errno_location())

#endif
