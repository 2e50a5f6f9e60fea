/* Adds the scheduling calls. Without -pthread locks and once work, and pthread_create returns EAGAIN. */
#include_next <pthread.h>
#ifndef RANKINE_PTHREAD_H
#define RANKINE_PTHREAD_H

#include <sched.h>
#include <sys/cdefs.h>

__BEGIN_DECLS
_Noreturn void pthread_exit(void *);
int pthread_cancel(pthread_t);
int pthread_kill(pthread_t, int);
int pthread_getschedparam(pthread_t, int *, struct sched_param *);
int pthread_setschedparam(pthread_t, int, const struct sched_param *);
int pthread_attr_getschedparam(const pthread_attr_t *, struct sched_param *);
int pthread_attr_setschedparam(pthread_attr_t *, const struct sched_param *);
int pthread_getaffinity_np(pthread_t, size_t, cpu_set_t *);
int pthread_setaffinity_np(pthread_t, size_t, const cpu_set_t *);
int pthread_setname_np(pthread_t, const char *);
int pthread_getname_np(pthread_t, char *, size_t);
__END_DECLS

#endif
