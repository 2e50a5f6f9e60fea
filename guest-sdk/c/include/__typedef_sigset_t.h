/* A signal set with a bit for every signal; wasi-libc's placeholder has only eight. */
#ifndef __wasilibc___typedef_sigset_t_h
#define __wasilibc___typedef_sigset_t_h

typedef unsigned long long sigset_t;

#endif
