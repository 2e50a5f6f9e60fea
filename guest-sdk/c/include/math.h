/* Adds an old name of lgamma to wasi-libc's header. */
#include_next <math.h>
#ifndef RANKINE_MATH_H
#define RANKINE_MATH_H

#include <sys/cdefs.h>

#if defined(_XOPEN_SOURCE) || defined(_GNU_SOURCE) || defined(_BSD_SOURCE) || !defined(__STRICT_ANSI__)
__BEGIN_DECLS
double gamma(double);
__END_DECLS
#endif

#endif
