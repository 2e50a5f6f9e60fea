/* Memory for received objects, as Fortran's DEALLOCATE wants it: allocatables come from malloc, and behind the target
 * of a pointer stands a word by which the runtime knows that it may free it. (C's free takes both; this takes the place
 * of the functions in the C library.) */
#include <rankine.h>
#include <stdint.h>
#include <stdlib.h>

int Rankine_Allocate(int n, const unsigned sizes[], void *addresses[])
{
    for (int i = 0; i < n; i++) {
        size_t end = (sizes[i] + sizeof(uintptr_t) - 1) / sizeof(uintptr_t) * sizeof(uintptr_t);
        char *block = end < sizes[i] ? NULL : malloc(end + sizeof(uintptr_t));
        if (block == NULL) {
            Rankine_Release(i, addresses);
            return 1;
        }
        *(uintptr_t *)(block + end) = ~(uintptr_t)block;
        addresses[i] = block;
    }
    return 0;
}

/* Below it lie variables, which pointers may refer to and which stay. */
extern char __heap_base;

void Rankine_Release(int n, void *addresses[])
{
    for (int i = 0; i < n; i++)
        if ((char *)addresses[i] >= &__heap_base)
            free(addresses[i]);
}
