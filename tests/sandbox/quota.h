/* For guests that take as much of something as they are given. */
#ifndef QUOTA_H
#define QUOTA_H

#include "hostile.h"

/* Calls of the last EXHAUST that were not refused. */
static int made;

/* Calls until it is refused for want of memory, at most so often, and counts the calls in `made`. */
#define EXHAUST(most, call) \
    do { \
        int code_ = MPI_SUCCESS; \
        for (made = 0; made < (most) && (code_ = (call)) == MPI_SUCCESS; made++) \
            ; \
        if (code_ == MPI_SUCCESS) \
            check_fail(__FILE__, __LINE__, #call, "expected to be refused, got %d", made); \
        says_why(__FILE__, __LINE__, code_); \
    } while (0)

/* The error is one for want of memory, and on the embedded engine it says how much the rank may have. */
static inline void says_why(const char *file, int line, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;
    TRY(MPI_Error_class(code, &class));
    TRY(MPI_Error_string(code, text, &length));
    if (class != MPI_ERR_NO_MEM || (embedded() && strstr(text, " MiB that this rank may have") == NULL))
        check_fail(file, line, "MPI_Error_string", "not the error of a limit: %s", text);
}

#endif
