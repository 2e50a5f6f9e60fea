/* What a guest asserts with. A mismatch prints file:line, the rank, what was expected and what came, and ends the job
 * with status 1; `check_end` prints OK from rank 0. Errors of MPI are returned, not fatal: wrap a call that must
 * succeed in TRY. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large.h"

/* This process in MPI_COMM_WORLD. */
static int rank, size;

static void check_fail(const char *file, int line, const char *what, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *name = strrchr(file, '/');
    fprintf(stderr, "%s:%d: rank %d of %d: %s: %s\n", name ? name + 1 : file, line, rank, size, what, text);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* A condition. */
#define CHECK(condition) \
    do { \
        if (!(condition)) \
            check_fail(__FILE__, __LINE__, #condition, "expected true, got false"); \
    } while (0)

/* An integer: its expected value comes second. */
#define CHECK_INT(actual, expected) \
    do { \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected); \
        if (actual_ != expected_) \
            check_fail(__FILE__, __LINE__, #actual, "expected %lld, got %lld", expected_, actual_); \
    } while (0)

/* A floating-point number, exactly. */
#define CHECK_REAL(actual, expected) \
    do { \
        double actual_ = (double)(actual), expected_ = (double)(expected); \
        if (!(actual_ == expected_)) \
            check_fail(__FILE__, __LINE__, #actual, "expected %.17g, got %.17g", expected_, actual_); \
    } while (0)

/* A string. */
#define CHECK_STR(actual, expected) \
    do { \
        const char *actual_ = (actual), *expected_ = (expected); \
        if (strcmp(actual_, expected_) != 0) \
            check_fail(__FILE__, __LINE__, #actual, "expected \"%s\", got \"%s\"", expected_, actual_); \
    } while (0)

/* Bytes. */
#define CHECK_BYTES(actual, expected, length) \
    do { \
        const unsigned char *actual_ = (const void *)(actual), *expected_ = (const void *)(expected); \
        for (size_t i_ = 0; i_ < (size_t)(length); i_++) \
            if (actual_[i_] != expected_[i_]) \
                check_fail(__FILE__, __LINE__, #actual, "byte %zu: expected %d, got %d", i_, expected_[i_], actual_[i_]); \
    } while (0)

static inline int check_class(int code)
{
    int error_class = code;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &error_class);
    return error_class;
}

static inline void check_call(const char *file, int line, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    check_fail(file, line, call, "expected success, got class %d: %s", check_class(code), text);
}

/* A call that must succeed. */
#define TRY(call) check_call(__FILE__, __LINE__, #call, (call))

/* A call that must fail with an error of this class. */
#define FAILS(call, class) \
    do { \
        int got_ = check_class(call); \
        if (got_ != (class)) \
            check_fail(__FILE__, __LINE__, #call, "expected error class %s (%d), got %d", #class, (int)(class), got_); \
    } while (0)

/* The three fields of a status. */
#define CHECK_STATUS(status, source, tag) \
    do { \
        CHECK_INT((status).MPI_SOURCE, source); \
        CHECK_INT((status).MPI_TAG, tag); \
    } while (0)

/* The number of elements of a status. */
#define CHECK_COUNT(status, datatype, expected) \
    do { \
        count_t count_ = -77; \
        TRY(MPI_Get_count(&(status), datatype, &count_)); \
        CHECK_INT(count_, expected); \
    } while (0)

/* The empty status, that of a null request or of a receive from nobody (with MPI_PROC_NULL as source). */
#define CHECK_EMPTY(status, source) \
    do { \
        int cancelled_ = 1; \
        CHECK_STATUS(status, source, MPI_ANY_TAG); \
        CHECK_COUNT(status, MPI_BYTE, 0); \
        TRY(MPI_Test_cancelled(&(status), &cancelled_)); \
        CHECK_INT(cancelled_, 0); \
    } while (0)

/* Whether Rankine's own engine runs the guest. Guards the few checks that a real MPI library fails, each with what that
 * one does. */
static inline int embedded(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    return strstr(text, "Rankine") != NULL || strstr(text, "rankine") != NULL;
}

/* Errors in calls on these communicators are returned to the guest. */
static inline void check_errors_return(void)
{
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

/* Initialises MPI, and says who we are. */
static inline void check_begin_threads(int *argc, char ***argv, int required)
{
    int provided = -1;
    TRY(MPI_Init_thread(argc, argv, required, &provided));
    check_errors_return();
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(provided >= required);
}

/* The same for a program with one thread. */
static inline void check_begin(int *argc, char ***argv)
{
    TRY(MPI_Init(argc, argv));
    check_errors_return();
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
}

/* Says that all went well, and finalises MPI. Returned by `main`. */
static inline int check_end(void)
{
    int me = rank;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 0) {
        puts("OK");
        fflush(stdout);
    }
    TRY(MPI_Finalize());
    return 0;
}

#endif
