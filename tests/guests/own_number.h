/* A number of this job's own, the same in all ranks: for names of files, as jobs run side by side. */
#ifndef OWN_NUMBER_H
#define OWN_NUMBER_H

#include <time.h>

static inline int own_number(void)
{
    struct timespec now = {0, 0};
    int number;
    clock_gettime(CLOCK_REALTIME, &now);
    number = (int)(((unsigned)now.tv_sec * 1000003u ^ (unsigned)now.tv_nsec) & 0x7fffffff);
    TRY(MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return number;
}

#endif
