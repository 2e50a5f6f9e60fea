/* Locks of streams. */
#include <rankine/weak.h>
#include <stdio.h>

#ifndef _REENTRANT
WEAK void flockfile(FILE *file) { (void)file; }
WEAK void funlockfile(FILE *file) { (void)file; }
WEAK int ftrylockfile(FILE *file) { (void)file; return 0; }
#endif
