/* sigaction and signal sets over the signal() and raise() of wasi-libc's emulation. */
#include <errno.h>
#include <pthread.h>
#include <rankine/weak.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct sigaction actions[_NSIG];
static sigset_t blocked, waiting;

static int valid(int signal) {
	if (signal > 0 && signal < _NSIG)
		return 1;
	errno = EINVAL;
	return 0;
}

static sigset_t bit(int signal) { return 1ULL << (signal - 1); }

WEAK int sigemptyset(sigset_t *set) { *set = 0; return 0; }
WEAK int sigfillset(sigset_t *set) { *set = ~0ULL; return 0; }
WEAK int sigaddset(sigset_t *set, int signal) {
	if (!valid(signal))
		return -1;
	*set |= bit(signal);
	return 0;
}
WEAK int sigdelset(sigset_t *set, int signal) {
	if (!valid(signal))
		return -1;
	*set &= ~bit(signal);
	return 0;
}
WEAK int sigismember(const sigset_t *set, int signal) { return valid(signal) ? (*set & bit(signal)) != 0 : -1; }

/* A handler with three parameters has another WebAssembly type than raise() calls, so this one is put in between. */
static void with_information(int signal) {
	siginfo_t information = {.si_signo = signal, .si_code = SI_USER, .si_pid = getpid()};
	actions[signal].sa_sigaction(signal, &information, NULL);
}

WEAK int sigaction(int number, const struct sigaction *new, struct sigaction *old) {
	if (!valid(number))
		return -1;
	if (old)
		*old = actions[number];
	if (!new)
		return 0;
	void (*handler)(int) = new->sa_flags & SA_SIGINFO ? with_information : new->sa_handler;
	if (signal(number, handler) == SIG_ERR) {
		errno = EINVAL;
		return -1;
	}
	actions[number] = *new;
	return 0;
}

static void deliver(sigset_t set) {
	for (int signal = 1; signal < _NSIG; signal++)
		if (set & bit(signal))
			raise(signal);
}

WEAK int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
	if (old)
		*old = blocked;
	if (!set)
		return 0;
	switch (how) {
	case SIG_BLOCK: blocked |= *set; break;
	case SIG_UNBLOCK: blocked &= ~*set; break;
	case SIG_SETMASK: blocked = *set; break;
	default: errno = EINVAL; return -1;
	}
	sigset_t due = waiting & ~blocked;
	waiting &= blocked;
	deliver(due);
	return 0;
}

/* What sigsetjmp does before it is a setjmp, and siglongjmp before it is a longjmp. */
WEAK void rankine_save_mask(struct __jmp_buf_tag *buffer, int save) {
	buffer->__fl = save != 0;
	memcpy(buffer->__ss, &blocked, sizeof blocked);
}
WEAK void rankine_restore_mask(struct __jmp_buf_tag *buffer) {
	sigset_t saved;
	memcpy(&saved, buffer->__ss, sizeof saved);
	if (buffer->__fl)
		sigprocmask(SIG_SETMASK, &saved, NULL);
}
WEAK int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) { return sigprocmask(how, set, old) ? errno : 0; }
WEAK int sigpending(sigset_t *set) { *set = waiting; return 0; }

/* A program can send signals to itself only. */
WEAK int kill(pid_t process, int signal) {
	if (process > 0 && process != getpid()) {
		errno = ESRCH;
		return -1;
	}
	if (signal == 0)
		return 0;
	if (!valid(signal))
		return -1;
	if (blocked & bit(signal)) {
		waiting |= bit(signal);
		return 0;
	}
	return raise(signal);
}
WEAK int killpg(pid_t group, int signal) { return kill(group, signal); }
WEAK int pthread_kill(pthread_t thread, int signal) { (void)thread; return kill(getpid(), signal) ? errno : 0; }

/* Nobody else can send the signal that is waited for. */
static int endless(void) { errno = EDEADLK; return -1; }
WEAK int pause(void) { return endless(); }
WEAK int sigsuspend(const sigset_t *mask) {
	sigset_t due = waiting & ~*mask;
	if (!due)
		return endless();
	waiting &= ~due;
	deliver(due);
	errno = EINTR;
	return -1;
}
WEAK int sigwait(const sigset_t *set, int *signal) {
	for (int each = 1; each < _NSIG; each++)
		if (waiting & *set & bit(each)) {
			waiting &= ~bit(each);
			*signal = each;
			return 0;
		}
	return EDEADLK;
}
WEAK int sigaltstack(const stack_t *new, stack_t *old) {
	(void)new;
	if (old)
		*old = (stack_t){.ss_flags = SS_DISABLE};
	return 0;
}
WEAK int siginterrupt(int signal, int flag) { (void)flag; return valid(signal) ? 0 : -1; }
