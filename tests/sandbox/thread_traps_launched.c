// The same under a launcher, which makes its own status of those of the ranks that end and of those that it ends.
// ranks: 1 2
// engines: mpi
// cc: -pthread -g
// exit: nonzero
// stderr: at thread_that_fails
#include "thread_traps.c"
