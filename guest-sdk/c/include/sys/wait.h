/* Waiting for child processes: there are none, so every call fails with ECHILD. */
#ifndef RANKINE_SYS_WAIT_H
#define RANKINE_SYS_WAIT_H

#include <rankine/wait_status.h>
#include <sys/cdefs.h>
#include <sys/types.h>

struct rusage;

__BEGIN_DECLS
pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
pid_t wait3(int *, int, struct rusage *);
pid_t wait4(pid_t, int *, int, struct rusage *);
__END_DECLS

#endif
