/* What a program cannot see from inside: its backtrace, the load, floating-point traps. */
#include <dlfcn.h>
#include <execinfo.h>
#include <fenv.h>
#include <rankine/weak.h>
#include <stdlib.h>

WEAK int backtrace(void **frames, int size) { (void)frames, (void)size; return 0; }
WEAK char **backtrace_symbols(void *const *frames, int size) { (void)frames, (void)size; return calloc(1, sizeof(char *)); }
WEAK void backtrace_symbols_fd(void *const *frames, int size, int file) { (void)frames, (void)size, (void)file; }
WEAK int dladdr(const void *address, Dl_info *answer) { (void)address, (void)answer; return 0; }
WEAK int getloadavg(double *loads, int count) { (void)loads, (void)count; return -1; }
WEAK int fedisableexcept(int exceptions) { (void)exceptions; return 0; }
WEAK int fegetexcept(void) { return 0; }
