/* Adds temporary files and pipes to wasi-libc's header, which marks the former as deprecated. */
#ifndef RANKINE_STDIO_H
#define __deprecated__(reason)
#include_next <stdio.h>
#undef __deprecated__
#define RANKINE_STDIO_H

#include <sys/cdefs.h>

#ifndef L_tmpnam
#define L_tmpnam 64
#define TMP_MAX 10000
#endif
#ifndef P_tmpdir
#define P_tmpdir "/tmp"
#endif

__BEGIN_DECLS
#if defined(_POSIX_SOURCE) || defined(_POSIX_C_SOURCE) || defined(_XOPEN_SOURCE) || defined(_GNU_SOURCE) || defined(_BSD_SOURCE)
FILE *popen(const char *, const char *);
int pclose(FILE *);
char *tempnam(const char *, const char *);
void flockfile(FILE *);
int ftrylockfile(FILE *);
void funlockfile(FILE *);
#endif
__END_DECLS

#else
#include_next <stdio.h>
#endif
