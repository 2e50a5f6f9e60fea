/* Choice buffers of mpi_f08: TYPE(*), DIMENSION(..), which come with the shape of an array section.
 *
 * MPI is given the address of what is contiguous. The standard defines other sections by a contiguous copy, made when
 * the operation starts and put back when it completes, and so it is done here: every byte that MPI changed in the copy
 * is changed in the section, and no other, since what an operation does not touch belongs to the program, or to another
 * operation. Copies of operations that go on after the call are in a list; completion.c says when they are complete. */
#include "section.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct copy *rankine_copies;

struct copy {
    struct copy *next;
    struct completion completion;
    int active;
    char *packed; /* what MPI works on */
    char *known;  /* `packed` as the section has it; none where MPI only reads */
    size_t size;
    CFI_cdesc_t section; /* with its dimensions behind it */
};

static int is_contiguous(const CFI_cdesc_t *buffer)
{
    return buffer->base_addr == NULL || buffer->rank == 0 || CFI_is_contiguous(buffer) ||
           buffer->dim[buffer->rank - 1].extent < 0; /* assumed size */
}

static size_t bytes(const CFI_cdesc_t *section)
{
    size_t size = section->elem_len;
    for (int d = 0; d < section->rank; d++)
        size *= section->dim[d].extent;
    return size;
}

/* Goes to the next element in array element order. */
static char *next(const CFI_cdesc_t *section, char *element, CFI_index_t *index)
{
    for (int d = 0; d < section->rank; d++) {
        element += section->dim[d].sm;
        if (++index[d] < section->dim[d].extent)
            break;
        element -= section->dim[d].sm * section->dim[d].extent;
        index[d] = 0;
    }
    return element;
}

static void *room(size_t size)
{
    void *room = malloc(size + 1);
    if (!room) {
        fprintf(stderr, "Fortran: no memory for a copy of an array section that is passed to MPI\n");
        abort();
    }
    return room;
}

static void read_section(struct copy *copy)
{
    const CFI_cdesc_t *section = &copy->section;
    CFI_index_t index[CFI_MAX_RANK] = {0};
    char *element = section->base_addr;
    for (size_t at = 0; at < copy->size; at += section->elem_len) {
        memcpy(copy->packed + at, element, section->elem_len);
        element = next(section, element, index);
    }
    if (copy->known)
        memcpy(copy->known, copy->packed, copy->size);
}

/* Puts back what has changed so far. */
static void settle(struct copy *copy)
{
    if (!copy->known)
        return;
    CFI_index_t index[CFI_MAX_RANK] = {0};
    const CFI_cdesc_t *section = &copy->section;
    char *element = section->base_addr;
    for (size_t at = 0; at < copy->size; at += section->elem_len) {
        for (size_t i = 0; i < section->elem_len; i++)
            if (copy->packed[at + i] != copy->known[at + i])
                element[i] = copy->known[at + i] = copy->packed[at + i];
        element = next(section, element, index);
    }
}

static void discard(struct copy *copy)
{
    free(copy->packed);
    free(copy->known);
    free(copy);
}

struct buffer rankine_buffer(const CFI_cdesc_t *buffer, int written)
{
    if (is_contiguous(buffer))
        return (struct buffer){rankine_address(buffer->base_addr), NULL};
    size_t dimensions = buffer->rank * sizeof buffer->dim[0];
    struct copy *copy = room(sizeof *copy + dimensions);
    *copy = (struct copy){.active = 1, .size = bytes(buffer)};
    memcpy(&copy->section, buffer, sizeof *buffer + dimensions);
    copy->packed = room(copy->size);
    copy->known = written ? room(copy->size) : NULL;
    read_section(copy);
    return (struct buffer){copy->packed, copy};
}

void rankine_buffer_done(struct buffer *buffer)
{
    if (!buffer->copy)
        return;
    settle(buffer->copy);
    discard(buffer->copy);
}

void rankine_buffer_until(struct buffer *buffer, int code, struct completion completion)
{
    struct copy *copy = buffer->copy;
    if (!copy)
        return;
    if (code != MPI_SUCCESS) {
        discard(copy);
        return;
    }
    copy->completion = completion;
    copy->active = !completion.persistent;
    copy->next = rankine_copies;
    rankine_copies = copy;
    if (completion.request == MPI_REQUEST_NULL)
        rankine_request_completed(MPI_REQUEST_NULL, 1);
}

void rankine_request_started(MPI_Request request)
{
    for (struct copy *copy = rankine_copies; copy; copy = copy->next)
        if (copy->completion.request == request) {
            copy->active = 1;
            read_section(copy);
        }
}

void rankine_request_settled(MPI_Request request)
{
    for (struct copy *copy = rankine_copies; copy; copy = copy->next)
        if (copy->completion.request == request)
            settle(copy);
}

/* Whether `by`, in which one thing is said, completes an operation for good. */
static int is_ended(const struct completion *own, struct completion by)
{
    if (by.request)
        return own->request == by.request;
    if (by.file)
        return own->file == by.file;
    return own->window == by.window && !own->request &&
           (own->target == by.target || by.target == RANKINE_ALL_TARGETS);
}

static void end(struct completion by)
{
    for (struct copy **link = &rankine_copies; *link;) {
        struct copy *copy = *link;
        if (!is_ended(&copy->completion, by)) {
            link = &copy->next;
            continue;
        }
        settle(copy);
        *link = copy->next;
        discard(copy);
    }
}

void rankine_request_completed(MPI_Request request, int ended)
{
    if (ended) {
        end((struct completion){.request = request});
        return;
    }
    for (struct copy *copy = rankine_copies; copy; copy = copy->next)
        if (copy->completion.request == request) {
            settle(copy);
            copy->active = 0;
        }
}

void rankine_request_freed(MPI_Request request)
{
    /* Nobody will know when an active one completes: its copy stays for good. */
    for (struct copy *copy = rankine_copies; copy; copy = copy->next)
        if (copy->completion.request == request && copy->active)
            copy->completion = (struct completion){0};
    end((struct completion){.request = request});
}

void rankine_window_synchronised(MPI_Win window, int target)
{
    /* What has a request ends with it, and finds nothing more to put back then. */
    for (struct copy *copy = rankine_copies; copy; copy = copy->next)
        if (copy->completion.window == window)
            settle(copy);
    end((struct completion){.window = window, .target = target});
}

void *rankine_file_buffer(MPI_File file, void *buffer)
{
    for (struct copy *copy = rankine_copies; copy; copy = copy->next)
        if (copy->completion.file == file)
            return copy->packed;
    return buffer;
}

void rankine_file_completed(MPI_File file)
{
    end((struct completion){.file = file});
}

int rankine_contiguous(const CFI_cdesc_t *buffer, const char *function, void **address)
{
    *address = rankine_address(buffer->base_addr);
    if (is_contiguous(buffer))
        return MPI_SUCCESS;
    fprintf(stderr, "Fortran: %s: memory that MPI is given must be contiguous, and this array section is not\n", function);
    return MPI_ERR_BUFFER;
}
