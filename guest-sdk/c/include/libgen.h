/* POSIX's basename, beside GNU's of <string.h>: whoever includes this header means the former. */
#ifndef RANKINE_LIBGEN_H
#define RANKINE_LIBGEN_H

#define basename __xpg_basename
#include_next <libgen.h>

#endif
