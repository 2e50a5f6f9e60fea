/* Nothing is shared between the memories of ranks but through MPI. */
#include <errno.h>
#include <rankine/weak.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

WEAK int shm_open(const char *name, int flags, mode_t mode) { (void)name, (void)flags, (void)mode; return UNSUPPORTED; }
WEAK int shm_unlink(const char *name) { (void)name; return UNSUPPORTED; }
WEAK key_t ftok(const char *path, int project) { (void)path, (void)project; return UNSUPPORTED; }
WEAK int shmget(key_t key, size_t size, int flags) { (void)key, (void)size, (void)flags; return UNSUPPORTED; }
WEAK void *shmat(int id, const void *where, int flags) { (void)id, (void)where, (void)flags; errno = ENOSYS; return (void *)-1; }
WEAK int shmdt(const void *where) { (void)where; return UNSUPPORTED; }
WEAK int shmctl(int id, int command, struct shmid_ds *buffer) { (void)id, (void)command, (void)buffer; return UNSUPPORTED; }
