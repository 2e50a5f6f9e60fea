/* System V's names: a sandbox has no shared memory, queues or semaphores, so every call fails with ENOSYS. */
#ifndef RANKINE_SYS_IPC_H
#define RANKINE_SYS_IPC_H

#include <sys/cdefs.h>
#include <sys/types.h>

typedef int key_t;

#define IPC_CREAT 01000
#define IPC_EXCL 02000
#define IPC_NOWAIT 04000
#define IPC_RMID 0
#define IPC_SET 1
#define IPC_STAT 2
#define IPC_PRIVATE ((key_t)0)

__BEGIN_DECLS
key_t ftok(const char *, int);
__END_DECLS

#endif
