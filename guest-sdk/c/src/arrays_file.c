/* Arrays in files. Rank 0 writes and reads, a slab of the first dimension at a time. */
#include "arrays_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a slab, unless one index of the first dimension has more. */
enum { SLAB = 4 << 20 };

/* Who moves what: an array in the file's order, by way of rank 0's file. */
typedef struct {
    Rankine_Array array;
    const char *path;
    FILE *file;
    int writes;
} Transfer;

/* Tells all ranks whether rank 0 has done its part; its error becomes everybody's. */
static int tell(const Transfer *by, const char *what)
{
    char text[200] = "";
    if (what != NULL)
        snprintf(text, sizeof text, "%s", what);
    TRY(MPI_Bcast(text, sizeof text, MPI_CHAR, 0, by->array->layout.grid->comm));
    if (text[0] == 0)
        return MPI_SUCCESS;
    return arrays_misuse(by->array->layout.grid, by->array->name, -1, "%s: %s", by->path, text);
}

/* Moves some indices of the first dimension between the array and rank 0. */
static int move_slab(const Transfer *by, int first, int count, void *slab)
{
    Rankine_Array array = by->array;
    Layout *own = &array->layout, some;
    int extents[MANY];
    Moves moves;
    for (int d = 0; d < own->dimensions; d++)
        extents[d] = d == 0 ? count : own->cuts[d].count;
    TRY(layout_whole(&some, own->grid, own->dimensions, extents, 0));
    Shift shift = {0, by->writes ? first : -first, 0};
    int code = moves_make(&moves, by->writes ? &some : own, by->writes ? own : &some, shift, array->element, array->size);
    if (code == MPI_SUCCESS) {
        code = moves_run(&moves, own->grid, by->writes ? slab : array->data, by->writes ? array->data : slab);
        moves_free(&moves);
    }
    layout_free(&some);
    return code;
}

static int move_slabs(const Transfer *by)
{
    const Layout *layout = &by->array->layout;
    size_t line = by->array->size;
    int extent = layout->cuts[0].count, code = MPI_SUCCESS;
    for (int d = 1; d < layout->dimensions; d++)
        if (__builtin_mul_overflow(line, (size_t)layout->cuts[d].count, &line))
            return arrays_misuse(layout->grid, by->array->name, -1, "one index of the first dimension has more bytes than a memory");
    int most = line == 0 || line >= SLAB ? 1 : (int)(SLAB / line);
    most = most < extent ? most : extent;
    char *slab = by->file != NULL && line > 0 ? malloc(most * line) : NULL;
    TRY(tell(by, by->file != NULL && line > 0 && slab == NULL ? "there is no memory for a slab" : NULL));
    for (int first = 0; first < extent && line > 0 && code == MPI_SUCCESS; first += most) {
        size_t count = extent - first < most ? extent - first : most, moved = count;
        if (by->writes)
            code = move_slab(by, first, (int)count, slab);
        if (by->file != NULL && code == MPI_SUCCESS)
            moved = by->writes ? fwrite(slab, line, count, by->file) : fread(slab, line, count, by->file);
        if (code == MPI_SUCCESS)
            code = tell(by, moved == count ? NULL : ferror(by->file) ? strerror(errno) : "it ends before its numbers do");
        if (!by->writes && code == MPI_SUCCESS)
            code = move_slab(by, first, (int)count, slab);
    }
    free(slab);
    return code;
}

/* What rank 0 does first: writes the header, or reads it and goes to where the numbers begin. */
static const char *open_file(Transfer *by, int format, int is_fortran, const char *head, int length, int *is_reversed)
{
    char text[LONGEST_HEADER];
    int begin = 0;
    by->file = fopen(by->path, by->writes ? "wb" : "rb");
    if (by->file == NULL)
        return strerror(errno);
    if (by->writes)
        return fwrite(head, length, 1, by->file) == 1 ? NULL : strerror(errno);
    int many = (int)fread(text, 1, sizeof text, by->file);
    const char *failed = header_read(by->array, format, is_fortran, text, many, &begin, is_reversed);
    if (failed != NULL)
        return failed;
    return fseek(by->file, begin, SEEK_SET) == 0 ? NULL : strerror(errno);
}

/* Reads or writes what comes after the header. What is in the other order is that of the transposed array. */
static int move_all(Transfer *by, int is_reversed)
{
    int order[MANY], dimensions = by->array->layout.dimensions;
    if (!is_reversed || dimensions == 1)
        return move_slabs(by);
    for (int d = 0; d < dimensions; d++)
        order[d] = dimensions - 1 - d;
    TRY(Rankine_Array_transposed(by->array, order, &by->array));
    int code = move_slabs(by);
    Rankine_Array_free(&by->array);
    return code;
}

static int by_first(Rankine_Array array, const char *path, int format, int writes, int is_fortran)
{
    Transfer by = {array, path, NULL, writes};
    char head[LONGEST_HEADER];
    int length, is_reversed = 0;
    const char *failed = NULL;
    TRY(header_write(array, format, is_fortran, head, &length));
    if (array->layout.grid->rank == 0)
        failed = open_file(&by, format, is_fortran, head, length, &is_reversed);
    int code = tell(&by, failed);
    if (code == MPI_SUCCESS)
        code = MPI_Bcast(&is_reversed, 1, MPI_INT, 0, array->layout.grid->comm);
    if (code == MPI_SUCCESS)
        code = move_all(&by, is_reversed);
    by.array = array;
    failed = by.file != NULL && fclose(by.file) != 0 ? strerror(errno) : NULL;
    return code != MPI_SUCCESS ? code : tell(&by, failed);
}

int arrays_file(Rankine_Array array, const char *path, int format, int writes, int is_fortran)
{
    int kind = format & ~RANKINE_MPI_IO;
    if (kind != RANKINE_NPY && kind != RANKINE_RAW)
        return arrays_misuse(array->layout.grid, array->name, -1, "there is no format %d", format);
    if (!writes)
        TRY(array_check_written(array));
    return format & RANKINE_MPI_IO ? arrays_by_all(array, path, kind, writes, is_fortran) : by_first(array, path, kind, writes, is_fortran);
}

int Rankine_Write(Rankine_Array array, const char *path, int format)
{
    return arrays_file(array, path, format, 1, 0);
}

int Rankine_Read(Rankine_Array array, const char *path, int format)
{
    return arrays_file(array, path, format, 0, 0);
}

int Rankine_Write_npy(Rankine_Array array, const char *path)
{
    return arrays_file(array, path, RANKINE_NPY, 1, 0);
}

int Rankine_Read_npy(Rankine_Array array, const char *path)
{
    return arrays_file(array, path, RANKINE_NPY, 0, 0);
}
