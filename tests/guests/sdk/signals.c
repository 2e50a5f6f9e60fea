// Signals that a program sends to itself: signal, sigaction with and without information, masks, kill.
// ranks: 1
// native: no
#include "../check.h"
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int seen, informed;

static void plain(int number) { seen = number; }

static void with_information(int number, siginfo_t *information, void *context)
{
    (void)context;
    informed = information->si_signo == number ? number : -1;
}

int main(int argc, char **argv)
{
    struct sigaction action = {0}, before;
    struct itimerval timer = {{0, 0}, {1, 0}};
    sigset_t set;
    check_begin(&argc, &argv);
    CHECK(signal(SIGUSR1, plain) == SIG_DFL);
    CHECK_INT(raise(SIGUSR1), 0);
    CHECK_INT(seen, SIGUSR1);
    action.sa_sigaction = with_information;
    action.sa_flags = SA_SIGINFO;
    CHECK_INT(sigaction(SIGUSR2, &action, NULL), 0);
    CHECK_INT(kill(getpid(), SIGUSR2), 0);
    CHECK_INT(informed, SIGUSR2);
    CHECK_INT(sigaction(SIGUSR2, NULL, &before), 0);
    CHECK(before.sa_sigaction == with_information);
    // A blocked signal waits.
    seen = 0;
    sigemptyset(&set);
    CHECK_INT(sigaddset(&set, SIGUSR1), 0);
    CHECK_INT(sigismember(&set, SIGUSR1), 1);
    CHECK_INT(sigismember(&set, SIGTERM), 0);
    CHECK_INT(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    CHECK_INT(kill(getpid(), SIGUSR1), 0);
    CHECK_INT(seen, 0);
    CHECK_INT(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
    CHECK_INT(seen, SIGUSR1);
    CHECK(kill(4711, SIGTERM) == -1 && errno == ESRCH);
    CHECK_INT(alarm(10), 0);
    CHECK_INT(setitimer(ITIMER_REAL, &timer, NULL), 0);
    return check_end();
}
