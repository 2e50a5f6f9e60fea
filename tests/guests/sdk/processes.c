// Who a program is, what it uses, and that it can start no other.
// ranks: 1 2
// native: no
// run: --env USER=ada --env HOME=/home/ada
#include "../check.h"
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    struct rlimit limit;
    struct passwd *user;
    struct tms used;
    struct timespec moment;
    struct utsname system_name;
    cpu_set_t processors;
    char host[256];
    check_begin(&argc, &argv);
    CHECK_INT(getpagesize(), 65536);
    CHECK_INT(sysconf(_SC_PAGESIZE), 65536);
    CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    CHECK_INT(gethostname(host, sizeof host), 0);
    CHECK_STR(host, "localhost");
    CHECK(gethostname(host, 3) == -1 && errno == ENAMETOOLONG);
    CHECK_INT(uname(&system_name), 0);
    CHECK(getpid() > 0 && getppid() > 0);
    CHECK_INT(getuid(), geteuid());
    user = getpwuid(getuid());
    CHECK(user != NULL);
    CHECK_STR(user->pw_name, "ada");
    CHECK_STR(user->pw_dir, "/home/ada");
    CHECK_STR(getlogin(), "ada");
    CHECK(getpwuid(0) == NULL);
    CHECK(getgrgid(getgid()) != NULL);
    CHECK_INT(getrusage(RUSAGE_SELF, &usage), 0);
    CHECK(usage.ru_utime.tv_sec >= 0 && usage.ru_maxrss > 8192);
    CHECK(clock() != (clock_t)-1 && times(&used) != (clock_t)-1);
    CHECK_INT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &moment), 0);
    CHECK_INT(clock_gettime(CLOCK_MONOTONIC_RAW, &moment), 0);
    CHECK_INT(usleep(1000), 0);
    CHECK_INT(getrlimit(RLIMIT_STACK, &limit), 0);
    CHECK_INT(sched_getaffinity(0, sizeof processors, &processors), 0);
    CHECK_INT(CPU_COUNT(&processors), 1);
    CHECK_INT(sched_yield(), 0);
    CHECK(system("true") == -1 && errno == ENOSYS);
    CHECK_INT(system(NULL), 0);
    CHECK(popen("true", "r") == NULL && errno == ENOSYS);
    CHECK(fork() == -1 && errno == ENOSYS);
    CHECK(wait(NULL) == -1 && errno == ECHILD);
    return check_end();
}
