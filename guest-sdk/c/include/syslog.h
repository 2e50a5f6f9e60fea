/* There is no system log: what would go there is dropped. */
#ifndef RANKINE_SYSLOG_H
#define RANKINE_SYSLOG_H

#include <sys/cdefs.h>

#define LOG_EMERG 0
#define LOG_ALERT 1
#define LOG_CRIT 2
#define LOG_ERR 3
#define LOG_WARNING 4
#define LOG_NOTICE 5
#define LOG_INFO 6
#define LOG_DEBUG 7
#define LOG_USER (1 << 3)
#define LOG_DAEMON (3 << 3)
#define LOG_PID 1
#define LOG_CONS 2
#define LOG_NDELAY 8
#define LOG_PERROR 0x20

__BEGIN_DECLS
void openlog(const char *, int, int);
void syslog(int, const char *, ...);
void closelog(void);
int setlogmask(int);
__END_DECLS

#endif
