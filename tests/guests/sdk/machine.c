// What is left of a Unix around a program: memory, network, terminal, libraries, error messages, long double.
// ranks: 1
// native: no
// stderr: careful 1
#include "../check.h"
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <execinfo.h>
#include <fenv.h>
#include <malloc.h>
#include <math.h>
#include <netdb.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct termios settings;
    void *block, *frames[4];
    char text[80];
    time_t now = time(NULL);
    check_begin(&argc, &argv);
    block = memalign(64, 100);
    CHECK(block != NULL && (size_t)block % 64 == 0);
    free(block);
    block = mmap(NULL, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(block != MAP_FAILED);
    CHECK_INT(madvise(block, 100000, MADV_DONTNEED), 0);
    CHECK_INT(munmap(block, 100000), 0);
    CHECK(shmget(IPC_PRIVATE, 10, IPC_CREAT) == -1 && errno == ENOSYS);
    CHECK(socket(AF_INET, SOCK_STREAM, 0) == -1 && errno == ENOSYS);
    CHECK(gethostbyname("localhost") == NULL);
    CHECK(tcgetattr(0, &settings) == -1 && errno == ENOTTY);
    CHECK(dlopen("libm.so", RTLD_NOW) == NULL && dlerror() != NULL);
    CHECK_INT(backtrace(frames, 4), 0);
    CHECK_INT(feenableexcept(FE_INVALID), -1);
    CHECK_INT(fetestexcept(FE_DIVBYZERO), 0);
    tzset();
    CHECK(localtime(&now) != NULL && timezone == 0);
    syslog(LOG_INFO, "dropped");
    warnx("careful %d", 1);
    snprintf(text, sizeof text, "%.25Lf", sqrtl(2.0L));
    CHECK_STR(text, "1.4142135623730950488016887");
    return check_end();
}
