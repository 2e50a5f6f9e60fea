/* Adds the variants that save the mask of signals, which has a place in the buffer. */
#include_next <setjmp.h>
#ifndef RANKINE_SETJMP_H
#define RANKINE_SETJMP_H

#ifdef __cplusplus
extern "C" {
#endif
void rankine_save_mask(struct __jmp_buf_tag *, int);
void rankine_restore_mask(struct __jmp_buf_tag *);
#ifdef __cplusplus
}
#endif

#define sigsetjmp(buffer, savemask) (rankine_save_mask(buffer, savemask), setjmp(buffer))
#define siglongjmp(buffer, value) (rankine_restore_mask(buffer), longjmp(buffer, value))
#define _setjmp(buffer) setjmp(buffer)
#define _longjmp(buffer, value) longjmp(buffer, value)
#if !defined(_POSIX_SOURCE) && !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE) && \
	!defined(_BSD_SOURCE)
typedef jmp_buf sigjmp_buf;
#endif

#endif
