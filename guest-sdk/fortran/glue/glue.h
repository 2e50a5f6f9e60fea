/* What the C functions behind Fortran's MPI bindings share.
 *
 * Fortran passes everything by reference. A handle is an INTEGER (or a derived type with one in it) that holds the
 * guest's handle itself, whose upper half is 0 where C's has 64 bits, LOGICAL is 0 or 1 in 4 bytes, statuses have the layout of C's, and the address, offset and
 * count kinds are those of C's types: so arguments are read through pointers to C's own types, and only strings,
 * sentinels, array sections, indices and callbacks need work. The lengths of CHARACTER arguments come after all others.
 * An ierror that is absent (mpi_f08) is a null pointer. */
#pragma once

#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* A handle of C's, of any class, and Fortran's. */
#define HANDLE(integer) ((void *)(uintptr_t)(uint32_t)(integer))
#define INTEGER(handle) ((int)(uintptr_t)(handle))

/* An array of handles, as C has it: the same, or a copy where they have another width there (handles.c). The number of them is asked
 * for only then. It is freed, or freed and put back; C may have changed it. */
#define HAS_WIDE_HANDLES (sizeof(void *) > sizeof(int))
#define HANDLES(array, count) (HAS_WIDE_HANDLES ? rankine_handles(array, count) : (void *)(array))
void *rankine_handles(const int *array, long long count);
void rankine_handles_free(void *handles);
void rankine_handles_back(int *array, void *handles, long long count);

static inline void handles_free(void *handles)
{
    if (HAS_WIDE_HANDLES)
        rankine_handles_free(handles);
}

static inline void handles_back(int *array, void *handles, long long count)
{
    if (HAS_WIDE_HANDLES)
        rankine_handles_back(array, handles, count);
}

/* How many processes a collective operation has arrays for, and a neighbourhood's: of sources, or of destinations. */
int rankine_peers(MPI_Comm comm);
int rankine_neighbors(MPI_Comm comm, int are_destinations);

/* The function behind a procedure has the profiling name; the plain name is weak, so that a tool may define its own. */
#define ALSO(function, name) extern __typeof(function) name __attribute__((weak, alias(#function)))

static inline void return_code(int *ierror, int code)
{
    if (ierror)
        *ierror = code;
}

/* Sentinels: variables whose addresses Fortran passes (sentinels.c). */
void *rankine_address(const void *buffer);
MPI_Status *rankine_status(MPI_Status *status);
int *rankine_weights(const int *weights);
int *rankine_errcodes(int *codes);

/* Strings: a copy that ends with a zero byte, without the blanks at the end (and, for keys and values of an info, at
 * the start); free it. And what MPI wrote, padded with blanks. */
char *rankine_c_string(const char *text, size_t length);
char *rankine_c_word(const char *text, size_t length);
void rankine_fortran_string(char *text, size_t length, const char *from);

/* Choice buffers of mpi_f08, which come with the shape of an array section (section.c): `address` is what MPI is given,
 * `copy` has to be put back when the operation is complete: at once, or later, as `completion` says. */
struct buffer {
    void *address;
    struct copy *copy;
};
struct completion {
    MPI_Request request;
    int persistent;
    MPI_Win window; /* whose synchronisation with `target` completes it */
    int target;
    MPI_File file; /* on which the access ends */
};
struct buffer rankine_buffer(const CFI_cdesc_t *buffer, int written);
void rankine_buffer_done(struct buffer *buffer);
void rankine_buffer_until(struct buffer *buffer, int code, struct completion completion);

/* The address of memory that MPI keeps; MPI_ERR_BUFFER with a message for a section that is not contiguous. */
int rankine_contiguous(const CFI_cdesc_t *buffer, const char *function, void **address);
