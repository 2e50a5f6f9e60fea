/* Destructors of objects that belong to a thread (thread_local in C++): they run when it ends, the last one first. */
#ifdef _REENTRANT
#include <pthread.h>
#include <rankine/weak.h>
#include <stdlib.h>

struct object {
	void (*destroy)(void *);
	void *address;
	struct object *before;
};

static __thread struct object *last;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void destroy_all(void *unused) {
	(void)unused;
	while (last) {
		struct object *object = last;
		last = object->before;
		object->destroy(object->address);
		free(object);
	}
}

/* The thread that ends the program has no end of its own. */
static void at_exit(void) { destroy_all(NULL); }

static void prepare(void) {
	if (pthread_key_create(&key, destroy_all) != 0 || atexit(at_exit) != 0)
		abort();
}

WEAK int __cxa_thread_atexit(void (*destroy)(void *), void *address, void *library) {
	struct object *object = malloc(sizeof *object);
	(void)library;
	pthread_once(&once, prepare);
	if (!object || pthread_setspecific(key, object) != 0)
		return -1;
	*object = (struct object){destroy, address, last};
	last = object;
	return 0;
}
#else
#include <rankine/weak.h>

int __cxa_atexit(void (*destroy)(void *), void *address, void *library);

/* The only thread ends with the program. */
WEAK int __cxa_thread_atexit(void (*destroy)(void *), void *address, void *library) {
	return __cxa_atexit(destroy, address, library);
}
#endif
