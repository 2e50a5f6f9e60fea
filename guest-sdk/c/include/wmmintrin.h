/* Of x86, as all of these. */
#include <immintrin.h>
