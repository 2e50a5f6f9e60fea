// What C leaves undefined is said with its place, once for each, and the program goes on: -fsanitize=undefined.
// ranks: 1 2
// run: --no-null-page
// cc: -fsanitize=undefined,float-cast-overflow -Wno-tautological-pointer-compare
// stderr: undefined.c:50:15: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
// stderr: runtime error: signed integer overflow: -9223372036854775808 - 1 cannot be represented in type 'long long'
// stderr: runtime error: signed integer overflow: 0x40000000000000000000000000000000 * 0x00000000000000000000000000000002 cannot be represented in type '__int128'
// stderr: runtime error: signed integer overflow: -2147483648 + -1 cannot be represented in type 'int'
// stderr: runtime error: negation of -2147483648 cannot be represented in type 'int'; cast to an unsigned type to negate this value to itself
// stderr: runtime error: shift exponent 41 is too large for 32-bit type 'unsigned int'
// stderr: runtime error: shift exponent -1 is negative
// stderr: runtime error: left shift of negative value -1
// stderr: runtime error: index 6 out of bounds for type 'int[4]'
// stderr: runtime error: 1.0000000150474662e+30 is outside the range of representable values of type 'int'
// stderr: runtime error: 1e+30 is outside the range of representable values of type 'long long'
// stderr: for type 'int', which requires 4 byte alignment
// stderr: runtime error: load of value 7, which is not a valid value for type '_Bool'
// stderr: undefined.c:33:12: runtime error: load of null pointer of type 'const int'
// stderr: runtime error: variable length array bound evaluates to non-positive value -1
// stderr: runtime error: passing zero to __builtin_clz(), which is not a valid argument
// stderr: runtime error: pointer index expression with base 0xfffffff0 overflowed to 0x54
// stderr: runtime error: null pointer passed as argument 1, which is declared to never be null
// stderr: runtime error: null pointer returned from function declared to never return null
// stderr-not: `unreachable`
#include "../guests/check.h"
#include <limits.h>
#include <stdint.h>

static volatile int one = 1;

__attribute__((noinline)) static int load(const int *at)
{
    return *at;
}

__attribute__((nonnull, noinline)) static int never_null(const int *at)
{
    return at != NULL;
}

__attribute__((returns_nonnull, noinline)) static const int *given(const int *at)
{
    return at;
}

/* Each twice: the second time nothing is said. */
static int numbers(int most)
{
    int sum = INT_MAX;
    sum = sum + one;
    long long wide = LLONG_MIN;
    wide -= one;
    __int128 widest = (__int128)1 << 126;
    widest *= 2 * one;
    int least = INT_MIN;
    least = -least;
    unsigned bits = (unsigned)one << (40 + one);
    int back = one << -one;
    int negative = -one << 1;
    float real = 1e30f * one;
    int whole = real;
    double wide_real = 1e30 * one;
    long long wide_whole = wide_real;
    return most + sum + (int)wide + (int)widest + least + (int)bits + back + negative + whole + (int)wide_whole;
}

static int memory(void)
{
    int few[4] = {0}, outside[one + 6];
    outside[0] = few[one + 5];
    _Alignas(8) char bytes[16] = {0};
    int *amiss = (int *)(bytes + one);
    _Bool is_odd;
    memset(&is_odd, 7 * one, 1);
    int length = one - 2;
    int list[length];
    char *end = (char *)(uintptr_t)(0xfffffff0u * one);
    end += 100 * one;
    return outside[0] + *amiss + is_odd + (int)sizeof list + (end == NULL) + __builtin_clz(one - 1) + load(one ? NULL : few) +
           never_null(one ? NULL : few) + (given(one ? NULL : few) == NULL);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    volatile int results = 0;
    for (int time = 0; time < 2; time++) {
        results += numbers(0);
        results += memory();
    }
    return check_end();
}
