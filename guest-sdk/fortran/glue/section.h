/* What completion.c tells the copies of array sections that operations work on. */
#pragma once

#include "glue.h"

/* All copies; nobody has to be told anything while there is none. */
extern struct copy *rankine_copies;

enum { RANKINE_ALL_TARGETS = -1000 };

/* A persistent request starts: its copies are those of the sections now. */
void rankine_request_started(MPI_Request request);
/* What has arrived so far may be read. */
void rankine_request_settled(MPI_Request request);
/* An operation is complete; `ended` says that its request is gone, as those that are not persistent are. */
void rankine_request_completed(MPI_Request request, int ended);
void rankine_request_freed(MPI_Request request);
void rankine_window_synchronised(MPI_Win window, int target);
/* The buffer of the split collective access that was begun on a file. */
void *rankine_file_buffer(MPI_File file, void *buffer);
void rankine_file_completed(MPI_File file);
