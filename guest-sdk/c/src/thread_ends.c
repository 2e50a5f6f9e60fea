/* pthread_exit of a program with threads: it jumps back to where the thread's function was called, which returns its result. What
   the C library does when a thread ends (handlers of pthread_cleanup_push, destructors of keys) comes after that, as always. */
#ifdef _REENTRANT
#include <pthread.h>
#include <rankine/weak.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct beginning {
	void *(*start)(void *);
	void *argument;
};

struct end {
	jmp_buf place;
	void *result;
};

static __thread struct end *end;
static pthread_t first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Threads that have begun and not ended, without the first. */
static unsigned long others;

__attribute__((__constructor__)) static void remember_the_first(void) { first = pthread_self(); }

static void count(long more) {
	pthread_mutex_lock(&lock);
	others += more;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

void *__rankine_begin_thread(void *(*start)(void *), void *argument) {
	struct beginning *beginning = malloc(sizeof *beginning);
	if (beginning) {
		*beginning = (struct beginning){start, argument};
		count(1);
	}
	return beginning;
}

void __rankine_thread_failed(void *beginning) {
	free(beginning);
	count(-1);
}

/* Counted before the C library has ended it: the first thread, if it waits, still runs the handlers of atexit after all others'
   functions. */
void *__rankine_thread_that_may_end(void *given) {
	struct beginning beginning = *(struct beginning *)given;
	struct end here;
	free(given);
	end = &here;
	if (setjmp(here.place) == 0)
		here.result = beginning.start(beginning.argument);
	end = NULL;
	count(-1);
	return here.result;
}

WEAK _Noreturn void pthread_exit(void *result) {
	if (end) {
		end->result = result;
		longjmp(end->place, 1);
	}
	if (!pthread_equal(pthread_self(), first)) {
		fputs("pthread_exit: this thread was not begun by pthread_create\n", stderr);
		abort();
	}
	/* The program goes on until its last thread ends. */
	pthread_mutex_lock(&lock);
	while (others > 0)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	exit(0);
}
#else
typedef int iso_c_has_no_empty_files;
#endif
