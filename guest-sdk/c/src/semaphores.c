/* Semaphores. */
#include <errno.h>
#include <rankine/weak.h>
#include <semaphore.h>

#ifndef _REENTRANT
/* A semaphore nobody else can post: waiting for one that is down would never end. */
WEAK int sem_init(sem_t *semaphore, int shared, unsigned value) {
	(void)shared;
	semaphore->__val[0] = (int)value;
	return 0;
}
WEAK int sem_destroy(sem_t *semaphore) { (void)semaphore; return 0; }
WEAK int sem_post(sem_t *semaphore) { semaphore->__val[0]++; return 0; }
static int take(sem_t *semaphore, int otherwise) {
	if (semaphore->__val[0] > 0) {
		semaphore->__val[0]--;
		return 0;
	}
	errno = otherwise;
	return -1;
}
WEAK int sem_wait(sem_t *semaphore) { return take(semaphore, EDEADLK); }
WEAK int sem_trywait(sem_t *semaphore) { return take(semaphore, EAGAIN); }
WEAK int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
	(void)until;
	return take(semaphore, ETIMEDOUT);
}
WEAK int sem_getvalue(sem_t *restrict semaphore, int *restrict value) { *value = semaphore->__val[0]; return 0; }
#endif
WEAK sem_t *sem_open(const char *name, int flags, ...) { (void)name, (void)flags; errno = ENOSYS; return SEM_FAILED; }
WEAK int sem_close(sem_t *semaphore) { (void)semaphore; return UNSUPPORTED; }
WEAK int sem_unlink(const char *name) { (void)name; return UNSUPPORTED; }
