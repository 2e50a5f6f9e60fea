/* Memory for ALLOCATE without STAT= and for temporary arrays, where the compiler asks for it directly (allocations.cpp). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *rankine_fortran_memory(uint64_t bytes, const char *name)
{
    void *block = bytes > SIZE_MAX ? NULL : malloc((size_t)bytes);
    if (block == NULL) {
        fflush(stdout);
        fprintf(stderr, "no memory to allocate %s%s%llu bytes\n", name, *name ? ": " : "", (unsigned long long)bytes);
        abort();
    }
    return block;
}
