/* The macros for a process's status: the same in <stdlib.h> and <sys/wait.h>. */
#ifndef RANKINE_WAIT_STATUS_H
#define RANKINE_WAIT_STATUS_H

#define WNOHANG 1
#define WUNTRACED 2
#define WCONTINUED 8

#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WTERMSIG(status) ((status) & 0x7f)
#define WSTOPSIG(status) WEXITSTATUS(status)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) (WTERMSIG(status) != 0 && WTERMSIG(status) != 0x7f)
#define WIFSTOPPED(status) (((status) & 0xff) == 0x7f)
#define WCOREDUMP(status) ((status) & 0x80)

#endif
