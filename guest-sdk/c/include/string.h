/* Adds GNU's basename, which leaves the path as it is (<libgen.h> has the other), and counts of 64 bits. */
#include_next <string.h>
#ifndef RANKINE_STRING_H
#define RANKINE_STRING_H

#include <rankine/wide_copies.h>

#ifndef basename
#ifdef __cplusplus
extern "C++" {
char *basename(char *) __asm__("rankine_basename");
const char *basename(const char *) __asm__("rankine_basename");
}
#elif defined(_GNU_SOURCE)
char *basename(const char *) __asm__("rankine_basename");
#endif
#endif

#endif
