/* Arrays in files through MPI-IO: every rank moves its own part. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

/* Where this rank's elements lie in its memory and behind the file's header, in types of bytes; `count` is 0 where it has
 * nothing, or another one sees to the same elements. */
typedef struct {
    int count;
    MPI_Datatype memory, file;
    MPI_Aint first, begin; /* of both, in bytes */
} Places;

static int places_of(Rankine_Array array, Held held[], Places *places)
{
    const Layout *layout = &array->layout;
    MPI_Aint size = array->size, stride = 1;
    List memory[MANY], file[MANY] = {0};
    MPI_Datatype bytes;
    int code = MPI_Type_contiguous((int)size, MPI_BYTE, &bytes);
    for (int d = layout->dimensions - 1; d >= 0 && code == MPI_SUCCESS; d--) {
        memory[d] = (List){held[d].count, held[d].places};
        file[d] = (List){held[d].count, malloc(held[d].count * sizeof(MPI_Aint))};
        for (int n = 0; n < held[d].count && file[d].places != NULL; n++)
            file[d].places[n] = held[d].indices[n] * stride;
        if (file[d].places == NULL || __builtin_mul_overflow(stride, (MPI_Aint)layout->cuts[d].count, &stride))
            code = MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS)
        code = datatype_product(memory, layout->dimensions, bytes, size, &places->memory, &places->first);
    if (code == MPI_SUCCESS) {
        code = datatype_product(file, layout->dimensions, bytes, size, &places->file, &places->begin);
        if (code != MPI_SUCCESS)
            MPI_Type_free(&places->memory);
    }
    for (int d = 0; d < layout->dimensions; d++)
        free(file[d].places);
    MPI_Type_free(&bytes);
    places->count = code == MPI_SUCCESS;
    places->first = (layout->offset + places->first) * size;
    places->begin *= size;
    return code;
}

static int places_make(Rankine_Array array, int takes_part, Places *places)
{
    const Layout *layout = &array->layout;
    Held held[MANY];
    *places = (Places){0, MPI_BYTE, MPI_BYTE, 0, 0};
    TRY(layout_held(layout, held));
    for (int d = 0; d < layout->dimensions; d++)
        takes_part &= held[d].count > 0;
    int code = takes_part ? places_of(array, held, places) : MPI_SUCCESS;
    held_free(held);
    return code;
}

static void places_free(Places *places)
{
    if (places->count == 0)
        return;
    MPI_Type_free(&places->memory);
    MPI_Type_free(&places->file);
}

/* An error of a file, as one of the array. */
static int failed(Rankine_Array array, const char *path, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return MPI_SUCCESS;
    if (code == MPI_ERR_TRUNCATE)
        strcpy(text, "it ends before its numbers do");
    else
        MPI_Error_string(code, text, &length);
    return arrays_misuse(array->layout.grid, array->name, -1, "%s: %s", path, text);
}

static int move(Rankine_Array array, MPI_File file, int header, int writes)
{
    Places places;
    int takes_part = writes ? layout_is_first_holder(&array->layout) : layout_may_hold(&array->layout, array->layout.grid->rank);
    int made = places_make(array, takes_part, &places), moved = 0;
    char *at = (char *)array->data + places.first;
    MPI_Status status;
    /* A rank that has no memory for its types takes part with nothing, as the others would wait for it. */
    int code = MPI_File_set_view(file, (MPI_Offset)header + places.begin, MPI_BYTE, places.file, "native", MPI_INFO_NULL);
    if (code == MPI_SUCCESS)
        code = writes ? MPI_File_write_all(file, at, places.count, places.memory, &status)
                      : MPI_File_read_all(file, at, places.count, places.memory, &status);
    if (code == MPI_SUCCESS && places.count > 0)
        code = MPI_Get_count(&status, places.memory, &moved);
    if (code == MPI_SUCCESS && moved != places.count)
        code = MPI_ERR_TRUNCATE;
    places_free(&places);
    return made != MPI_SUCCESS ? made : code;
}

static int write_file(Rankine_Array array, MPI_File file, const char *head, int length)
{
    TRY(MPI_File_set_size(file, 0));
    if (array->layout.grid->rank == 0)
        TRY(MPI_File_write_at(file, 0, head, length, MPI_BYTE, MPI_STATUS_IGNORE));
    return move(array, file, length, 1);
}

/* What is in the other order is that of the transposed array. */
static int read_turned(Rankine_Array array, MPI_File file, int begin)
{
    Rankine_Array turned;
    int order[MANY], dimensions = array->layout.dimensions;
    for (int d = 0; d < dimensions; d++)
        order[d] = dimensions - 1 - d;
    TRY(Rankine_Array_transposed(array, order, &turned));
    int code = move(turned, file, begin, 0);
    Rankine_Array_free(&turned);
    return code;
}

/* Every rank reads the header; `wrong` is what is wrong with it. */
static int read_file(Rankine_Array array, MPI_File file, int format, int is_fortran, const char **wrong)
{
    char text[LONGEST_HEADER];
    int length = 0, begin = 0, is_reversed;
    MPI_Status status;
    TRY(MPI_File_read_at_all(file, 0, text, sizeof text, MPI_BYTE, &status));
    TRY(MPI_Get_count(&status, MPI_BYTE, &length));
    *wrong = header_read(array, format, is_fortran, text, length, &begin, &is_reversed);
    if (*wrong != NULL)
        return MPI_SUCCESS;
    return is_reversed ? read_turned(array, file, begin) : move(array, file, begin, 0);
}

int arrays_by_all(Rankine_Array array, const char *path, int format, int writes, int is_fortran)
{
    Rankine_Grid grid = array->layout.grid;
    MPI_File file;
    char head[LONGEST_HEADER];
    const char *wrong = NULL;
    int length;
    TRY(header_write(array, format, is_fortran, head, &length));
    int code = MPI_File_open(grid->comm, path, writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    TRY(failed(array, path, code));
    code = writes ? write_file(array, file, head, length) : read_file(array, file, format, is_fortran, &wrong);
    int closed = MPI_File_close(&file);
    if (code == MPI_SUCCESS)
        code = closed;
    /* A file may end early for some ranks only. */
    int worst = code, mine = code;
    TRY(MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, grid->comm));
    TRY(failed(array, path, code != MPI_SUCCESS ? code : worst));
    return wrong == NULL ? MPI_SUCCESS : arrays_misuse(grid, array->name, -1, "%s: %s", path, wrong);
}
