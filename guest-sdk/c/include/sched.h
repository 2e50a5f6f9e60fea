/* Adds processor sets: a rank sees one processor. */
#include_next <sched.h>
#ifndef RANKINE_SCHED_H
#define RANKINE_SCHED_H

#include <sys/cdefs.h>
#include <sys/types.h>

#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define CPU_SETSIZE 1024

typedef struct cpu_set_t {
	unsigned char bits[CPU_SETSIZE / 8];
} cpu_set_t;

#define CPU_ZERO(set) ((void)__builtin_memset((set), 0, sizeof(cpu_set_t)))
#define CPU_SET(cpu, set) ((void)((unsigned)(cpu) < CPU_SETSIZE && ((set)->bits[(cpu) / 8] |= 1 << (cpu) % 8)))
#define CPU_CLR(cpu, set) ((void)((unsigned)(cpu) < CPU_SETSIZE && ((set)->bits[(cpu) / 8] &= ~(1 << (cpu) % 8))))
#define CPU_ISSET(cpu, set) ((unsigned)(cpu) < CPU_SETSIZE && ((set)->bits[(cpu) / 8] >> (cpu) % 8 & 1))
#define CPU_COUNT(set) rankine_cpu_count(set)
#define CPU_EQUAL(a, b) (__builtin_memcmp((a), (b), sizeof(cpu_set_t)) == 0)

__BEGIN_DECLS
int rankine_cpu_count(const cpu_set_t *);
int sched_getcpu(void);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_getscheduler(pid_t);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_setparam(pid_t, const struct sched_param *);
__END_DECLS

#endif
