// The same under a launcher, which makes its own status of those of the ranks that end and of those that it ends.
// ranks: 1 2 4
// engines: mpi
// cc: -pthread
// exit: nonzero
// stdout: leaves
// stderr: exited with status 5 and without MPI_Finalize, which ended the job
#include "thread_exits.c"
