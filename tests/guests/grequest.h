/* The callbacks of a generalised request with nothing behind it: its status is that of no message. */
#ifndef GREQUEST_H
#define GREQUEST_H

/* How often a status was asked for. */
static int grequest_queries;

static inline int grequest_query(void *state, MPI_Status *status)
{
    (void)state;
    grequest_queries++;
    TRY(MPI_Status_set_elements(status, MPI_INT, 0));
    TRY(MPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static inline int grequest_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static inline int grequest_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

#endif
