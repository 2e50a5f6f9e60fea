/* Backtraces are the host's business: a trap prints one. A program's own are empty. */
#ifndef RANKINE_EXECINFO_H
#define RANKINE_EXECINFO_H

#include <sys/cdefs.h>

__BEGIN_DECLS
int backtrace(void **, int);
char **backtrace_symbols(void *const *, int);
void backtrace_symbols_fd(void *const *, int, int);
__END_DECLS

#endif
