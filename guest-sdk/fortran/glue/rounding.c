/* WebAssembly rounds to the nearest number, always. What flang lets a program ask for beside that is refused in words, here
 * and by IEEE_SUPPORT_ROUNDING, rather than computed wrongly (adapt.cpp). */
#include <stdio.h>
#include <stdlib.h>

/* As LLVM numbers them. */
static const char *const MODES[] = {"ieee_to_zero", "ieee_nearest", "ieee_up", "ieee_down"};
enum { NEAREST = 1 };

void rankine_fortran_set_rounding(int mode)
{
    if (mode == NEAREST)
        return;
    fflush(stdout);
    fprintf(stderr, "ieee_set_rounding_mode: %s is not supported: WebAssembly rounds to the nearest number (ieee_support_rounding says so)\n",
            mode >= 0 && mode < 4 ? MODES[mode] : "this mode");
    abort();
}

/* What IEEE_GET_MODES keeps, and IEEE_SET_MODES brings back: there is nothing else than the one mode. */
int fegetmode(int *modes)
{
    *modes = NEAREST;
    return 0;
}

int fesetmode(const int *modes)
{
    (void)modes;
    return 0;
}
