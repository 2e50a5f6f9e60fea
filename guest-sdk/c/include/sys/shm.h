/* System V shared memory: every call fails with ENOSYS. */
#ifndef RANKINE_SYS_SHM_H
#define RANKINE_SYS_SHM_H

#include <sys/ipc.h>

struct shmid_ds;

__BEGIN_DECLS
int shmget(key_t, size_t, int);
void *shmat(int, const void *, int);
int shmdt(const void *);
int shmctl(int, int, struct shmid_ds *);
__END_DECLS

#endif
