// -mrelaxed-simd: a multiplication and an addition are one instruction where the machine has it, so that the sum is
// rounded once or twice. Either is right.
// ranks: 1 2
// native: no (an option of rankine cc)
// cc: -O3 -mrelaxed-simd -ffp-contract=fast
#include "../check.h"
#include <math.h>
#include <wasm_simd128.h>

#ifndef __wasm_relaxed_simd__
#error "-mrelaxed-simd does not reach the compiler"
#endif

int main(int argc, char **argv)
{
    // The products differ from 1 by less than a double tells.
    volatile double first = 1 + 0x1p-30, second = 1 - 0x1p-30;
    double sum[2], once = fma(first, second, -1), twice = 0;
    check_begin(&argc, &argv);
    wasm_v128_store(sum, wasm_f64x2_relaxed_madd(wasm_f64x2_splat(first), wasm_f64x2_splat(second), wasm_f64x2_splat(-1)));
    CHECK(once == -0x1p-60);
    CHECK(sum[0] == once || sum[0] == twice);
    CHECK(sum[0] == sum[1]);
    return check_end();
}
