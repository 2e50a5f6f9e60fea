/* Adds temporary files, a few allocators, qsort_r, random_r, sizes of 64 bits and the status macros to wasi-libc's header. */
#include_next <stdlib.h>
#ifndef RANKINE_STDLIB_H
#define RANKINE_STDLIB_H

#include <rankine/wait_status.h>
#include <rankine/wide_sizes.h>
#include <sys/cdefs.h>

__BEGIN_DECLS
int system(const char *);
#if defined(_POSIX_SOURCE) || defined(_POSIX_C_SOURCE) || defined(_XOPEN_SOURCE) || defined(_GNU_SOURCE) || defined(_BSD_SOURCE)
int mkstemp(char *);
int mkostemp(char *, int);
int mkstemps(char *, int);
int mkostemps(char *, int, int);
char *mkdtemp(char *);
char *mktemp(char *);
void *memalign(size_t, size_t);
void *valloc(size_t);
int getloadavg(double *, int);
int on_exit(void (*)(int, void *), void *);
#endif
#ifdef _GNU_SOURCE
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
#endif
#if defined(_GNU_SOURCE) || defined(_BSD_SOURCE)
void *reallocarray(void *, size_t, size_t);
struct random_data {
	int *fptr, *rptr, *state;
	int rand_type, rand_deg, rand_sep;
	int *end_ptr;
};
int random_r(struct random_data *, int *);
int srandom_r(unsigned, struct random_data *);
int initstate_r(unsigned, char *, size_t, struct random_data *);
int setstate_r(char *, struct random_data *);
#endif
__END_DECLS

#endif
