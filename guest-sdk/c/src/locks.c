/* Locks of files and streams. */
#include <errno.h>
#include <rankine/weak.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#ifndef _REENTRANT
WEAK void flockfile(FILE *file) { (void)file; }
WEAK void funlockfile(FILE *file) { (void)file; }
WEAK int ftrylockfile(FILE *file) { (void)file; return 0; }
#endif

/* Locks: HDF5 and others take ENOSYS as "this file system has none". So these are there for configure scripts too: without
 * flock HDF5 takes fcntl's locks, and EINVAL for an error. */
WEAK int flock(int file, int operation) { (void)file, (void)operation; return UNSUPPORTED; }
WEAK int lockf(int file, int command, off_t length) { (void)file, (void)command, (void)length; return UNSUPPORTED; }
