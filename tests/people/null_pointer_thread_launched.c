// The same under a launcher, which makes its own status of those of the ranks that end and of those that it ends.
// engines: mpi
// ranks: 1 2
// cc: -pthread -g -O1
// exit: nonzero
// stderr: trapped: a null pointer was used
// stderr: null_pointer_thread.c:16
#include "null_pointer_thread.c"
