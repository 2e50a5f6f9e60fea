/* GNU's way to print an error and leave. */
#ifndef RANKINE_ERROR_H
#define RANKINE_ERROR_H

#include <sys/cdefs.h>

__BEGIN_DECLS
void error(int, int, const char *, ...) __attribute__((__format__(__printf__, 3, 4)));
void error_at_line(int, int, const char *, unsigned, const char *, ...) __attribute__((__format__(__printf__, 5, 6)));
__END_DECLS

#endif
