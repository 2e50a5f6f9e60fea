/* Adds limits and priorities to wasi-libc's header. */
#include_next <sys/resource.h>
#ifndef RANKINE_SYS_RESOURCE_H
#define RANKINE_SYS_RESOURCE_H

#include <sys/cdefs.h>
#include <sys/types.h>

#define RUSAGE_THREAD 3

typedef unsigned long long rlim_t;

struct rlimit {
	rlim_t rlim_cur, rlim_max;
};

#define RLIM_INFINITY (~0ULL)
#define RLIM_SAVED_CUR RLIM_INFINITY
#define RLIM_SAVED_MAX RLIM_INFINITY
#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_RSS 5
#define RLIMIT_NPROC 6
#define RLIMIT_NOFILE 7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS 9
#define RLIM_NLIMITS 16
#define PRIO_PROCESS 0
#define PRIO_PGRP 1
#define PRIO_USER 2
#define PRIO_MIN (-20)
#define PRIO_MAX 20

__BEGIN_DECLS
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int getpriority(int, unsigned);
int setpriority(int, unsigned, int);
__END_DECLS

#endif
