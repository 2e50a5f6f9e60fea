// setjmp and longjmp, across frames and with a signal mask, and with values that live on.
// ranks: 1 2
// native: no
#include "../check.h"
#include <setjmp.h>
#include <signal.h>

static jmp_buf place;
static sigjmp_buf masked;

static void dive(int depth)
{
    if (depth == 0)
        longjmp(place, 7);
    dive(depth - 1);
}

int main(int argc, char **argv)
{
    volatile int tries = 0;
    int value;
    check_begin(&argc, &argv);
    value = setjmp(place);
    if (value == 0)
        dive(100);
    CHECK_INT(value, 7);
    if (sigsetjmp(masked, 1) < 3) {
        tries++;
        siglongjmp(masked, tries);
    }
    CHECK_INT(tries, 3);
    sigset_t all, mask;
    sigfillset(&all);
    for (int saves = 0; saves < 2; saves++) {
        sigemptyset(&mask);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (sigsetjmp(masked, saves) == 0) {
            sigprocmask(SIG_SETMASK, &all, NULL);
            siglongjmp(masked, 1);
        }
        sigprocmask(SIG_SETMASK, NULL, &mask);
        CHECK_INT(sigismember(&mask, SIGUSR1), !saves);
    }
    // MPI calls between the two are not disturbed.
    if (setjmp(place) == 0) {
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        longjmp(place, 1);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
