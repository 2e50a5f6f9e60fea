/* For guests that take as much of something as they are given. */
#ifndef QUOTA_H
#define QUOTA_H

#include "hostile.h"
#include "../guests/grequest.h"

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

/* Functions for objects that have some, which do nothing. */
static inline void user_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

static inline void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

/* Makes an info object with some hundred long values. */
static inline int fill(MPI_Info *info)
{
    static char value[1001];
    char key[20];
    int code = MPI_SUCCESS;
    memset(value, 'x', 1000);
    TRY(MPI_Info_create(info));
    for (int i = 0; i < 500 && code == MPI_SUCCESS; i++) {
        snprintf(key, sizeof key, "k%d", i);
        code = MPI_Info_set(*info, key, value);
    }
    return code;
}

/* Blocks of one element, of which no two follow one another: a type of them has no short form. */
static inline void scatter(int count, int *lengths, int *places)
{
    for (int i = 0; i < count; i++) {
        lengths[i] = 1;
        places[i] = 2 * i + i % 7;
    }
}

#endif
