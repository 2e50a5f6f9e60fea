/* CHARACTER arguments, which have a length and are padded with blanks, and C's strings. */
#include "glue.h"
#include <stdlib.h>
#include <string.h>

char *rankine_c_string(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    char *copy = malloc(length + 1);
    if (!copy)
        abort();
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *rankine_c_word(const char *text, size_t length)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    return rankine_c_string(text, length);
}

void rankine_fortran_string(char *text, size_t length, const char *from)
{
    size_t used = strnlen(from, length);
    memcpy(text, from, used);
    memset(text + used, ' ', length - used);
}
