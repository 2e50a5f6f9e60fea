/* What wasi-libc's pthread lacks or, for one thread, answers in its own way. */
#include <errno.h>
#include <pthread.h>
#include <rankine/weak.h>
#include <stdlib.h>
#include <string.h>

#ifndef _REENTRANT
/* POSIX has no "never": EAGAIN, too few resources for another thread, is what programs are prepared for. */
WEAK int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
			void *restrict argument) {
	(void)thread, (void)attributes, (void)start, (void)argument;
	return EAGAIN;
}

/* The only thread ends the program, as the last one does everywhere. */
WEAK _Noreturn void pthread_exit(void *result) { (void)result; exit(0); }
#else
/* There where the program calls pthread_exit (thread_ends.c): only then a thread begins with a place to come back to. */
__attribute__((__weak__)) void *__rankine_thread_that_may_end(void *beginning);
__attribute__((__weak__)) void *__rankine_begin_thread(void *(*start)(void *), void *argument);
__attribute__((__weak__)) void __rankine_thread_failed(void *beginning);

int __real_pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
			  void *restrict argument);

int __wrap_pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
			  void *restrict argument) {
	void *beginning;
	int error;
	if (!__rankine_thread_that_may_end)
		return __real_pthread_create(thread, attributes, start, argument);
	beginning = __rankine_begin_thread(start, argument);
	if (!beginning)
		return EAGAIN;
	error = __real_pthread_create(thread, attributes, __rankine_thread_that_may_end, beginning);
	if (error)
		__rankine_thread_failed(beginning);
	return error;
}
#endif

WEAK int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters) {
	(void)thread;
	*policy = SCHED_OTHER;
	memset(parameters, 0, sizeof *parameters);
	return 0;
}
WEAK int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {
	(void)thread, (void)policy, (void)parameters;
	return EPERM;
}
WEAK int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameters) {
	(void)attributes, (void)parameters;
	return 0;
}
WEAK int pthread_attr_setscope(pthread_attr_t *attributes, int scope) { (void)attributes, (void)scope; return 0; }
WEAK int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy) { (void)attributes, (void)policy; return 0; }
WEAK int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherit) { (void)attributes, (void)inherit; return 0; }
WEAK int pthread_setconcurrency(int level) { (void)level; return 0; }
WEAK int pthread_getconcurrency(void) { return 0; }
WEAK int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) { (void)thread; return sched_getaffinity(0, size, set); }
WEAK int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
	(void)thread;
	return sched_setaffinity(0, size, set);
}
WEAK int pthread_setname_np(pthread_t thread, const char *name) { (void)thread, (void)name; return 0; }
WEAK int pthread_getname_np(pthread_t thread, char *name, size_t size) {
	(void)thread;
	if (size == 0)
		return ERANGE;
	*name = 0;
	return 0;
}
WEAK int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
	(void)prepare, (void)parent, (void)child;
	return 0;
}
