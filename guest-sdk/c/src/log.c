/* There is no system log. */
#include <rankine/weak.h>
#include <syslog.h>

WEAK void openlog(const char *name, int options, int facility) { (void)name, (void)options, (void)facility; }
WEAK void syslog(int priority, const char *format, ...) { (void)priority, (void)format; }
WEAK void closelog(void) {}
WEAK int setlogmask(int mask) { (void)mask; return 0xff; }
