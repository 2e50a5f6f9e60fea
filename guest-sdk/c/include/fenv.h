/* Adds the names of floating-point exceptions. WebAssembly records none: fetestexcept is always 0, and
 * feenableexcept fails. */
#include_next <fenv.h>
#ifndef RANKINE_FENV_H
#define RANKINE_FENV_H

#include <sys/cdefs.h>

#ifndef FE_INVALID
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#endif

__BEGIN_DECLS
int feenableexcept(int);
int fedisableexcept(int);
int fegetexcept(void);
__END_DECLS

#endif
