// sin, cos and those of floats are within one unit of the last place of what long double says, also of large angles and near
// multiples of a quarter turn.
// ranks: 1
// cc: -fno-builtin
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANGLES = 30000 };

static uint64_t state = 88172645463325252u;

static uint64_t bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Units of the last of so many binary places. */
static void is_near(const char *name, double angle, double found, long double expected, int places, int smallest)
{
    int exponent;
    frexp((double)expected, &exponent);
    long double unit = ldexpl(1, (exponent < smallest ? smallest : exponent) - places);
    if (fabsl(found - expected) < unit)
        return;
    fprintf(stderr, "%s(%a) is %a, not %La\n", name, angle, found, expected);
    abort();
}

static void look(double angle)
{
    static volatile double sine, cosine;
    static volatile float narrow_sine, narrow_cosine;
    is_near("sin", angle, sin(angle), sinl(angle), 53, -1021);
    is_near("cos", angle, cos(angle), cosl(angle), 53, -1021);
    sincos(angle, (double *)&sine, (double *)&cosine);
    is_near("sincos", angle, sine, sinl(angle), 53, -1021);
    is_near("sincos", angle, cosine, cosl(angle), 53, -1021);
    float narrow = (float)angle;
    is_near("sinf", narrow, sinf(narrow), sinl(narrow), 24, -125);
    is_near("cosf", narrow, cosf(narrow), cosl(narrow), 24, -125);
    sincosf(narrow, (float *)&narrow_sine, (float *)&narrow_cosine);
    assert(narrow_sine == sinf(narrow) && narrow_cosine == cosf(narrow));
}

int main(void)
{
    static const double sizes[] = {1, 10, 1000, 8e5, 1e-3, 1e-9, 1e15};
    for (int i = 0; i < ANGLES; i++) {
        look((double)(int64_t)bits() * 0x1p-63 * sizes[i % 7]);
        if (i % 10 == 0)
            look(((int)(bits() >> 32) % 600000) * M_PI_2 * (1 + ((int)(bits() >> 60) - 8) * 0x1p-52));
    }
    assert(signbit(sin(-0.)) && signbit(sinf(-0.f)) && cos(0) == 1 && sin(5e-324) == 5e-324);
    assert(isnan(sin(INFINITY)) && isnan(cos(-INFINITY)) && isnan(sinf(INFINITY)) && isnan(cosf(NAN)));
    puts("OK");
    return 0;
}
