/* Choice buffers of mpi_f08: TYPE(*), DIMENSION(..), which come with the shape of an array section. */
#include "glue.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_contiguous(const CFI_cdesc_t *buffer)
{
    return buffer->base_addr == NULL || buffer->rank == 0 || CFI_is_contiguous(buffer) ||
           buffer->dim[buffer->rank - 1].extent < 0; /* assumed size */
}

static MPI_Count elements(const CFI_cdesc_t *buffer)
{
    MPI_Count count = 1;
    for (int d = 0; d < buffer->rank; d++)
        count *= buffer->dim[d].extent;
    return count;
}

/* Goes to the next element in array element order. */
static char *next(const CFI_cdesc_t *buffer, char *element, CFI_index_t *index)
{
    for (int d = 0; d < buffer->rank; d++) {
        element += buffer->dim[d].sm;
        if (++index[d] < buffer->dim[d].extent)
            break;
        element -= buffer->dim[d].sm * buffer->dim[d].extent;
        index[d] = 0;
    }
    return element;
}

enum direction { GATHER, SCATTER };

static void copy(const CFI_cdesc_t *buffer, char *packed, enum direction direction)
{
    CFI_index_t index[CFI_MAX_RANK] = {0};
    char *element = buffer->base_addr;
    for (MPI_Count left = elements(buffer); left > 0; left--) {
        if (direction == GATHER)
            memcpy(packed, element, buffer->elem_len);
        else
            memcpy(element, packed, buffer->elem_len);
        packed += buffer->elem_len;
        element = next(buffer, element, index);
    }
}

struct section rankine_section(const CFI_cdesc_t *buffer)
{
    if (is_contiguous(buffer))
        return (struct section){rankine_address(buffer->base_addr), NULL};
    char *packed = malloc(elements(buffer) * buffer->elem_len + 1);
    if (!packed) {
        fprintf(stderr, "Fortran: no memory for a copy of an array section that is passed to MPI\n");
        abort();
    }
    copy(buffer, packed, GATHER);
    return (struct section){packed, buffer};
}

void rankine_section_end(struct section *section, int written)
{
    if (!section->scattered)
        return;
    if (written)
        copy(section->scattered, section->address, SCATTER);
    free(section->address);
}

/* A type of the section's first `count` elements, each of which is one `datatype`. */
static int describe(const CFI_cdesc_t *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Datatype *described)
{
    MPI_Count lower, extent, size;
    int error = MPI_Type_get_extent_c(datatype, &lower, &extent);
    if (!error)
        error = MPI_Type_size_c(datatype, &size);
    if (error)
        return error;
    if (lower != 0 || extent != (MPI_Count)buffer->elem_len || size != extent || count < 0 || count > elements(buffer))
        return MPI_ERR_BUFFER;
    MPI_Aint *places = malloc((count + 1) * sizeof *places);
    if (!places)
        return MPI_ERR_NO_MEM;
    CFI_index_t index[CFI_MAX_RANK] = {0};
    char *element = buffer->base_addr;
    for (MPI_Count at = 0; at < count; at++) {
        places[at] = element - (char *)buffer->base_addr;
        element = next(buffer, element, index);
    }
    error = MPI_Type_create_hindexed_block((int)count, 1, places, datatype, described);
    free(places);
    return error ? error : MPI_Type_commit(described);
}

static int complain(const char *function, const char *why)
{
    fprintf(stderr, "Fortran: %s: %s\n", function, why);
    return MPI_ERR_BUFFER;
}

struct placed rankine_placed(const CFI_cdesc_t *buffer, MPI_Count count, MPI_Datatype datatype)
{
    struct placed placed = {rankine_address(buffer->base_addr), count, datatype, MPI_SUCCESS, 0};
    if (is_contiguous(buffer))
        return placed;
    placed.error = describe(buffer, count, datatype, &placed.datatype);
    if (placed.error == MPI_ERR_BUFFER)
        complain("nonblocking operation", "an array section that is not contiguous needs a datatype of one element, and "
                                          "no more elements than it has");
    placed.own = !placed.error;
    placed.count = 1;
    return placed;
}

void rankine_placed_end(struct placed *placed)
{
    if (placed->own)
        MPI_Type_free(&placed->datatype);
}

int rankine_contiguous(const CFI_cdesc_t *buffer, const char *function, void **address)
{
    *address = rankine_address(buffer->base_addr);
    if (is_contiguous(buffer))
        return MPI_SUCCESS;
    return complain(function, "an array section that is not contiguous cannot be the buffer of an operation that goes on "
                              "after the call (MPI_SUBARRAYS_SUPPORTED is .FALSE.)");
}
