/* Adds the variants that save a signal mask; there is none to save. */
#include_next <setjmp.h>
#ifndef RANKINE_SETJMP_H
#define RANKINE_SETJMP_H

#define sigsetjmp(buffer, savemask) setjmp(buffer)
#define siglongjmp(buffer, value) longjmp(buffer, value)
#define _setjmp(buffer) setjmp(buffer)
#define _longjmp(buffer, value) longjmp(buffer, value)
#if !defined(_POSIX_SOURCE) && !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE) && \
	!defined(_BSD_SOURCE)
typedef jmp_buf sigjmp_buf;
#endif

#endif
