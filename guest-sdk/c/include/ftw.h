/* Adds ftw to wasi-libc's header. */
#include_next <ftw.h>
#ifndef RANKINE_FTW_H
#define RANKINE_FTW_H

#include <sys/cdefs.h>

__BEGIN_DECLS
int ftw(const char *, int (*)(const char *, const struct stat *, int), int);
__END_DECLS

#if defined(_LARGEFILE64_SOURCE) || defined(_GNU_SOURCE)
#define ftw64 ftw
#endif

#endif
