/* Adds signal sets and sigaction to wasi-libc's header. Signals come from raise() and kill() of the program itself
 * only: nobody outside can send one, and timers do not fire. */
#include_next <signal.h>
#ifndef RANKINE_SIGNAL_H
#define RANKINE_SIGNAL_H

#include <sys/cdefs.h>
#include <sys/types.h>
#include <__typedef_sigset_t.h>

#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000

#ifndef SIG_BLOCK
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#endif

#define SIGRTMIN 34
#define SIGRTMAX 64
#ifndef NSIG
#define NSIG _NSIG
#endif
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192
#define SS_ONSTACK 1
#define SS_DISABLE 2

#define FPE_INTDIV 1
#define FPE_INTOVF 2
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define FPE_FLTSUB 8
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define ILL_ILLOPC 1
#define BUS_ADRALN 1
#define SI_USER 0

#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2

union sigval {
	int sival_int;
	void *sival_ptr;
};

typedef struct {
	int si_signo, si_errno, si_code;
	pid_t si_pid;
	uid_t si_uid;
	void *si_addr;
	int si_status;
	union sigval si_value;
} siginfo_t;

struct sigaction {
	union {
		void (*sa_handler)(int);
		void (*sa_sigaction)(int, siginfo_t *, void *);
	} rankine_handler;
	sigset_t sa_mask;
	int sa_flags;
	void (*sa_restorer)(void);
};
#define sa_handler rankine_handler.sa_handler
#define sa_sigaction rankine_handler.sa_sigaction

typedef struct {
	void *ss_sp;
	int ss_flags;
	size_t ss_size;
} rankine_stack_t;
#define stack_t rankine_stack_t

struct timespec;

__BEGIN_DECLS
int kill(pid_t, int);
int killpg(pid_t, int);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigprocmask(int, const sigset_t *, sigset_t *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int sigpending(sigset_t *);
int sigsuspend(const sigset_t *);
int sigwait(const sigset_t *, int *);
int sigaltstack(const stack_t *, stack_t *);
int siginterrupt(int, int);
__END_DECLS

#endif
