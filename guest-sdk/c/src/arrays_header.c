/* What files say of their arrays: NumPy's headers, and a small one before bare numbers. */
#include "arrays_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_one_of(MPI_Datatype type, const MPI_Datatype types[], int count)
{
    for (int n = 0; n < count; n++)
        if (types[n] == type)
            return 1;
    return 0;
}

char array_kind(Rankine_Array array)
{
    const MPI_Datatype reals[] = {MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE_PRECISION, MPI_REAL, MPI_REAL4, MPI_REAL8};
    const MPI_Datatype complexes[] = {MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX};
    const MPI_Datatype integers[] = {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_SHORT, MPI_SIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER, MPI_INTEGER4, MPI_INTEGER8};
    const MPI_Datatype naturals[] = {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_BYTE};
#define IS_ONE_OF(types) is_one_of(array->element, types, (int)(sizeof types / sizeof *types))
    return IS_ONE_OF(reals) ? 'f' : IS_ONE_OF(complexes) ? 'c' : IS_ONE_OF(integers) ? 'i' : IS_ONE_OF(naturals) ? 'u' : 0;
#undef IS_ONE_OF
}

/* NumPy's name of the elements' type. */
static int type_name(Rankine_Array array, char name[8])
{
    char kind = array_kind(array);
    if (kind == 0)
        return arrays_misuse(array->layout.grid, array->name, -1, "its elements are not numbers that NumPy has a name for");
    snprintf(name, 8, "%c%c%d", array->size == 1 ? '|' : '<', kind, (int)array->size);
    return MPI_SUCCESS;
}

/* The extents as Python writes them; in Fortran's order the last one comes first. */
static void shape_text(const Layout *layout, int is_fortran, char *text, size_t room)
{
    int count = layout->dimensions;
    size_t length = snprintf(text, room, "(");
    for (int d = 0; d < count; d++) {
        int extent = layout->cuts[is_fortran ? count - 1 - d : d].count;
        length += snprintf(text + length, room - length, "%d%s", extent, d < count - 1 ? ", " : count == 1 ? ",)" : ")");
    }
}

static void put_word(char *to, int bytes, unsigned long long word)
{
    for (int n = 0; n < bytes; n++)
        to[n] = (char)(word >> 8 * n);
}

static unsigned long long word(const char *from, int bytes)
{
    unsigned long long word = 0;
    for (int n = bytes - 1; n >= 0; n--)
        word = word << 8 | (unsigned char)from[n];
    return word;
}

/* `RKARRAY1`, the type in 4 bytes, the number of dimensions in 4, the extents in 8 each. */
static int write_raw(Rankine_Array array, const char *type, char *text)
{
    const Layout *layout = &array->layout;
    memset(text, 0, 16);
    memcpy(text, "RKARRAY1", 8);
    memcpy(text + 8, type, strlen(type) < 4 ? strlen(type) : 4);
    put_word(text + 12, 4, layout->dimensions);
    for (int d = 0; d < layout->dimensions; d++)
        put_word(text + 16 + 8 * d, 8, layout->cuts[d].count);
    return 16 + 8 * layout->dimensions;
}

int header_write(Rankine_Array array, int format, int is_fortran, char *text, int *length)
{
    char type[8], shape[80];
    TRY(type_name(array, type));
    if (format == RANKINE_RAW) {
        *length = write_raw(array, type, text);
        return MPI_SUCCESS;
    }
    shape_text(&array->layout, is_fortran, shape, sizeof shape);
    int end = 10 + snprintf(text + 10, 250, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type, is_fortran ? "True" : "False", shape);
    /* The numbers begin at a multiple of 64 bytes. */
    while ((end + 1) % 64 != 0)
        text[end++] = ' ';
    text[end++] = '\n';
    memcpy(text, "\x93NUMPY\1\0", 8);
    put_word(text + 8, 2, end - 10);
    *length = end;
    return MPI_SUCCESS;
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

static const char *read_raw(Rankine_Array array, const char *type, const char *text, int length, int *begin)
{
    const Layout *layout = &array->layout;
    char name[5] = {0};
    if (length < 16 || memcmp(text, "RKARRAY1", 8) != 0)
        return "it does not begin as a raw array does";
    *begin = 16 + 8 * layout->dimensions;
    memcpy(name, text + 8, 4);
    if (strcmp(name, type) != 0)
        return "it holds numbers of another type";
    if (word(text + 12, 4) != (unsigned)layout->dimensions)
        return "it has other extents";
    if (length < *begin)
        return "it ends in its header";
    for (int d = 0; d < layout->dimensions; d++)
        if (word(text + 16 + 8 * d, 8) != (unsigned)layout->cuts[d].count)
            return "it has other extents";
    return NULL;
}

const char *header_read(Rankine_Array array, int format, int is_fortran, const char *text, int length, int *begin, int *is_reversed)
{
    char type[8], shape[80], wanted[120], squeezed[LONGEST_HEADER + 1];
    *is_reversed = 0;
    if (type_name(array, type) != MPI_SUCCESS)
        return "its array's elements are not numbers";
    if (format == RANKINE_RAW)
        return read_raw(array, type, text, length, begin);
    if (length < 12 || memcmp(text, "\x93NUMPY", 6) != 0)
        return "it is not an .npy file";
    int bytes = text[6] == 1 ? 2 : 4, first = 8 + bytes;
    unsigned long long long_as = word(text + 8, bytes);
    if (long_as > (unsigned)(length - first))
        return "it ends in its header, or that is too long";
    *begin = first + (int)long_as;
    memcpy(squeezed, text + first, long_as);
    squeezed[long_as] = 0;
    squeeze(squeezed);
    snprintf(wanted, sizeof wanted, "'descr':'%s'", type);
    if (strstr(squeezed, wanted) == NULL)
        return "it holds numbers of another type";
    shape_text(&array->layout, is_fortran, shape, sizeof shape);
    snprintf(wanted, sizeof wanted, "'shape':%s", shape);
    squeeze(wanted);
    if (strstr(squeezed, wanted) == NULL)
        return "it has other extents";
    *is_reversed = (strstr(squeezed, "'fortran_order':True") != NULL) != is_fortran;
    return NULL;
}
