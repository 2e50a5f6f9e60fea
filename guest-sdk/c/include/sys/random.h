/* Adds getrandom to wasi-libc's header. */
#include_next <sys/random.h>
#ifndef RANKINE_SYS_RANDOM_H
#define RANKINE_SYS_RANDOM_H

#include <sys/cdefs.h>
#include <sys/types.h>

#define GRND_NONBLOCK 1
#define GRND_RANDOM 2
#define GRND_INSECURE 4

__BEGIN_DECLS
ssize_t getrandom(void *, size_t, unsigned);
__END_DECLS

#endif
