/* Where received objects come from, unless the program says otherwise: malloc, for a whole batch in one call. */
#include <rankine.h>
#include <rankine/weak.h>
#include <stdlib.h>

WEAK int Rankine_Allocate(int n, const unsigned sizes[], void *addresses[])
{
    for (int i = 0; i < n; i++) {
        addresses[i] = malloc(sizes[i] ? sizes[i] : 1);
        if (addresses[i] == NULL) {
            Rankine_Release(i, addresses);
            return 1;
        }
    }
    return 0;
}

WEAK void Rankine_Release(int n, void *addresses[])
{
    for (int i = 0; i < n; i++)
        free(addresses[i]);
}
