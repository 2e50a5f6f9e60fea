/* Arrays in files, as NumPy saves them. Rank 0 writes and reads, a slab of the first dimension at a time. */
#include "arrays_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a slab, unless one index of the first dimension has more. */
enum { SLAB = 4 << 20, LONGEST_HEADER = 4096 };

static int is_one_of(MPI_Datatype type, const MPI_Datatype types[], int count)
{
    for (int n = 0; n < count; n++)
        if (types[n] == type)
            return 1;
    return 0;
}

/* NumPy's name of the elements' type. */
static int type_name(Rankine_Array array, char name[8])
{
    const MPI_Datatype reals[] = {MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE_PRECISION, MPI_REAL, MPI_REAL4, MPI_REAL8};
    const MPI_Datatype complexes[] = {MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX};
    const MPI_Datatype integers[] = {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_SHORT, MPI_SIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER, MPI_INTEGER4, MPI_INTEGER8};
    const MPI_Datatype naturals[] = {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_BYTE};
#define IS_ONE_OF(types) is_one_of(array->element, types, (int)(sizeof types / sizeof *types))
    char kind = IS_ONE_OF(reals) ? 'f' : IS_ONE_OF(complexes) ? 'c' : IS_ONE_OF(integers) ? 'i' : IS_ONE_OF(naturals) ? 'u' : 0;
#undef IS_ONE_OF
    if (kind == 0)
        return arrays_misuse(array->layout.grid, array->name, -1, "its elements are not numbers that NumPy has a name for");
    snprintf(name, 8, "%c%c%d", array->size == 1 ? '|' : '<', kind, (int)array->size);
    return MPI_SUCCESS;
}

/* Tells all ranks whether rank 0 has done its part; its error becomes everybody's. */
static int tell(Rankine_Array array, const char *path, const char *what)
{
    char text[200] = "";
    if (what != NULL)
        snprintf(text, sizeof text, "%s", what);
    TRY(MPI_Bcast(text, sizeof text, MPI_CHAR, 0, array->layout.grid->comm));
    if (text[0] == 0)
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "%s: %s", path, text);
}

/* The extents as Python writes them; in Fortran's order the last one comes first. */
static void shape_text(const Layout *layout, int is_fortran, char *text, size_t room)
{
    int count = layout->dimensions;
    size_t length = snprintf(text, room, "(");
    for (int d = 0; d < count; d++) {
        int extent = layout->axes[is_fortran ? count - 1 - d : d].extent;
        length += snprintf(text + length, room - length, "%d%s", extent, d < count - 1 ? ", " : count == 1 ? ",)" : ")");
    }
}

static const char *write_header(Rankine_Array array, FILE *file, const char *type, int is_fortran)
{
    char shape[80], text[256];
    shape_text(&array->layout, is_fortran, shape, sizeof shape);
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type, is_fortran ? "True" : "False", shape);
    /* The numbers begin at a multiple of 64 bytes. */
    while ((length + 11) % 64 != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, length & 255, length >> 8};
    int is_written = fwrite(head, sizeof head, 1, file) == 1 && fwrite(text, length, 1, file) == 1;
    return is_written ? NULL : strerror(errno);
}

/* Without blanks: every version of NumPy sets others. */
static void squeeze(char *text)
{
    char *to = text;
    for (; *text != 0; text++)
        if (*text != ' ')
            *to++ = *text;
    *to = 0;
}

static const char *read_header(Rankine_Array array, FILE *file, const char *type, int is_fortran)
{
    unsigned char head[12];
    char text[LONGEST_HEADER + 1], shape[80], wanted[120];
    if (fread(head, 8, 1, file) != 1 || memcmp(head, "\x93NUMPY", 6) != 0)
        return "it is not an .npy file";
    int bytes = head[6] == 1 ? 2 : 4, length = 0;
    if (fread(head, bytes, 1, file) != 1)
        return "it ends in its header";
    for (int n = bytes - 1; n >= 0; n--)
        length = length << 8 | head[n];
    if (length < 0 || length > LONGEST_HEADER || fread(text, length, 1, file) != 1)
        return "it ends in its header, or that is too long";
    text[length] = 0;
    squeeze(text);
    snprintf(wanted, sizeof wanted, "'descr':'%s'", type);
    if (strstr(text, wanted) == NULL)
        return "it holds numbers of another type";
    if (strstr(text, is_fortran ? "'fortran_order':True" : "'fortran_order':False") == NULL && array->layout.dimensions > 1)
        return "it holds its numbers in the other language's order";
    shape_text(&array->layout, is_fortran, shape, sizeof shape);
    snprintf(wanted, sizeof wanted, "'shape':%s", shape);
    squeeze(wanted);
    return strstr(text, wanted) != NULL ? NULL : "it has other extents";
}

/* Moves some indices of the first dimension between the array and rank 0. */
static int move_slab(Rankine_Array array, int first, int count, void *slab, int writes)
{
    Layout *own = &array->layout, some;
    int extents[MANY];
    Moves moves;
    for (int d = 0; d < own->dimensions; d++)
        extents[d] = d == 0 ? count : own->axes[d].extent;
    TRY(layout_whole(&some, own->grid, own->dimensions, extents, 0));
    int code = writes ? moves_make(&moves, &some, own, NULL, 0, first, 0, array->element, array->size)
                      : moves_make(&moves, own, &some, NULL, 0, -first, 0, array->element, array->size);
    if (code == MPI_SUCCESS) {
        code = moves_run(&moves, own->grid, writes ? slab : array->data, writes ? array->data : slab);
        moves_free(&moves);
    }
    layout_free(&some);
    return code;
}

static size_t transfer(FILE *file, void *slab, size_t line, int count, int writes)
{
    return writes ? fwrite(slab, line, count, file) : fread(slab, line, count, file);
}

static int move_slabs(Rankine_Array array, const char *path, FILE *file, int writes)
{
    const Layout *layout = &array->layout;
    size_t line = array->size;
    int extent = layout->axes[0].extent, code = MPI_SUCCESS;
    for (int d = 1; d < layout->dimensions; d++)
        if (__builtin_mul_overflow(line, (size_t)layout->axes[d].extent, &line))
            return arrays_misuse(layout->grid, array->name, -1, "one index of the first dimension has more bytes than a memory");
    int most = line == 0 ? 1 : line >= SLAB ? 1 : (int)(SLAB / line);
    most = most < extent ? most : extent;
    char *slab = file != NULL && line > 0 ? malloc(most * line) : NULL;
    TRY(tell(array, path, file != NULL && line > 0 && slab == NULL ? "there is no memory for a slab" : NULL));
    for (int first = 0; first < extent && line > 0 && code == MPI_SUCCESS; first += most) {
        int count = extent - first < most ? extent - first : most;
        const char *failed = NULL;
        if (writes)
            code = move_slab(array, first, count, slab, 1);
        if (file != NULL && code == MPI_SUCCESS && transfer(file, slab, line, count, writes) != (size_t)count)
            failed = ferror(file) ? strerror(errno) : "it ends before its numbers do";
        if (code == MPI_SUCCESS)
            code = tell(array, path, failed);
        if (!writes && code == MPI_SUCCESS)
            code = move_slab(array, first, count, slab, 0);
    }
    free(slab);
    return code;
}

int arrays_npy(Rankine_Array array, const char *path, int writes, int is_fortran)
{
    char type[8];
    const char *failed = NULL;
    FILE *file = NULL;
    TRY(type_name(array, type));
    if (array->layout.grid->rank == 0) {
        file = fopen(path, writes ? "wb" : "rb");
        if (file == NULL)
            failed = strerror(errno);
        else
            failed = writes ? write_header(array, file, type, is_fortran) : read_header(array, file, type, is_fortran);
    }
    int code = tell(array, path, failed);
    if (code == MPI_SUCCESS)
        code = move_slabs(array, path, file, writes);
    failed = file != NULL && fclose(file) != 0 ? strerror(errno) : NULL;
    return code != MPI_SUCCESS ? code : tell(array, path, failed);
}

int Rankine_Write_npy(Rankine_Array array, const char *path)
{
    return arrays_npy(array, path, 1, 0);
}

int Rankine_Read_npy(Rankine_Array array, const char *path)
{
    return arrays_npy(array, path, 0, 0);
}
