// The C side of width.f90.
// part: yes
#include <ISO_Fortran_binding.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct part { long key; long *next; size_t size; int after; };

int c_widths(int *pointers, int *longs, int *sizes)
{
    *pointers = sizeof(void *);
    *longs = sizeof(long);
    *sizes = sizeof(size_t);
    return 1;
}

size_t c_length(const char *text) { return strlen(text); }

long c_bump(struct part *part)
{
    part->key += 2;
    part->size++;
    part->after++;
    return ++*part->next + 1;
}

intptr_t c_elements(CFI_cdesc_t *array) { return (intptr_t)(array->dim[0].extent * array->dim[1].extent); }

// Called as a function of Fortran's.
int blanks_(const char *first, const char *second, size_t first_length, size_t second_length)
{
    return memchr(second, 'x', second_length) ? 0 : (int)(first_length * 5 + (first[0] == 'a' ? 0 : 1));
}
