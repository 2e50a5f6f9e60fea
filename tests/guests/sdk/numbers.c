// What numbers.sh can't compare with another machine: long double, streams, arguments by their numbers, wide characters, fma by
// either way, bsearch.
// ranks: 1
// native: no (a long double has 16 bytes of another form there)
// run: --dir {scratch}::/tmp
// cc: -fno-builtin -ffp-contract=off
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static uint64_t state = 88172645463325252u;

static uint64_t bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

#define WRITES(expected, ...)                                                  \
    do {                                                                       \
        char text_[256];                                                       \
        int length_ = snprintf(text_, sizeof text_, __VA_ARGS__);              \
        if (strcmp(text_, expected) != 0 || length_ != (int)strlen(expected)) { \
            fprintf(stderr, "line %d: '%s', not '%s'\n", __LINE__, text_, expected); \
            abort();                                                           \
        }                                                                      \
    } while (0)

static void write_texts(void)
{
    int count = 0;
    char room[4];
    WRITES("3.14159265358979323846264338327950280", "%.35Lf", 3.14159265358979323846264338327950288L);
    WRITES("1.18973149535723176508575932662800702e+4932", "%.35Le", LDBL_MAX);
    WRITES("6.47517511943802511092443895822764655e-4966", "%.35Le", 0x1p-16494L);
    WRITES("0x1.8p+1 -0x0p+0", "%La %La", 3.0L, -0.0L);
    WRITES("b 7 b", "%2$s %1$d %2$s", 7, "b");
    WRITES("   42|1.50000", "%2$*1$d|%3$.*1$f", 5, 42, 1.5);
    WRITES("    3|4      |1.23", "%*d|%-*d|%.*f", 5, 3, 7, 4, 2, 1.234);
    WRITES("4      |1.234000", "%*d|%.*f", -7, 4, -1, 1.234);
    WRITES("wide x abc", "%ls %lc %.3ls", L"wide", (wint_t)L'x', L"abcdef");
    WRITES("abc5", "abc%n%d", &count, 5);
    assert(count == 3);
    WRITES("inf -INF nan +inf   inf", "%g %F %f %+g %05g", INFINITY, -INFINITY, NAN, INFINITY, INFINITY);
    WRITES("% 44 -1 -128", "%% %hhd %hd %hhd", 300, 65535, -128);
    errno = ENOENT;
    char expected[100];
    sprintf(expected, "x %s", strerror(ENOENT));
    WRITES(expected, "x %m");
    assert(snprintf(room, sizeof room, "%d", 123456) == 6 && strcmp(room, "123") == 0);
    assert(snprintf(NULL, 0, "%s", "abc") == 3);
    errno = 0;
    assert(snprintf(NULL, 0, "%*d%*d", INT_MAX, 1, INT_MAX, 1) == -1 && errno == EOVERFLOW);
    errno = 0;
    assert(snprintf(room, sizeof room, "%1$d %3$d", 1, 2, 3) == -1 && errno == EINVAL);
}

static void read_long_doubles(void)
{
    char text[100], *end;
    for (int i = 0; i < 2000; i++) {
        uint64_t halves[2] = {bits(), bits()};
        long double value, back;
        if (i % 10 == 0)
            halves[1] &= 0x8003ffffffffffff;
        if ((halves[1] >> 48 & 0x7fff) == 0x7fff)
            continue;
        memcpy(&value, halves, sizeof value);
        sprintf(text, "%.36Lg", value);
        back = strtold(text, &end);
        assert(*end == 0 && memcmp(&back, &value, sizeof value) == 0);
        assert(sscanf(text, "%Lf", &back) == 1 && memcmp(&back, &value, sizeof value) == 0);
        sprintf(text, "%La", value);
        back = strtold(text, &end);
        assert(*end == 0 && memcmp(&back, &value, sizeof value) == 0);
    }
    errno = 0;
    assert(strtold("1e5000", &end) == HUGE_VALL && errno == ERANGE);
    errno = 0;
    assert(strtold("-1e-5000", &end) == 0 && errno == ERANGE);
}

/* Through the buffer of a stream, and beyond it. */
static void use_streams(void)
{
    enum { LINES = 3000 };
    char long_text[2000], read_back[2000], *made = NULL;
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    FILE *file = fopen("/tmp/numbers", "w+");
    assert(file != NULL);
    for (int i = 0; i < LINES; i++)
        assert(fprintf(file, "%d %.17g %x\n", i, i / 7., i) > 0);
    assert(fprintf(file, "<%s> %d", long_text, 7) == 2003);
    rewind(file);
    for (int i = 0; i < LINES; i++) {
        int number = -1, hexadecimal = -1;
        double value = 0;
        assert(fscanf(file, "%d %lf %x", &number, &value, &hexadecimal) == 3);
        assert(number == i && value == i / 7. && hexadecimal == i);
    }
    assert(fscanf(file, " <%1999[x]> %ms", read_back, &made) == 2);
    assert(strcmp(read_back, long_text) == 0 && strcmp(made, "7") == 0);
    assert(fscanf(file, "%d", &(int){0}) == EOF);
    free(made);
    assert(fclose(file) == 0 && unlink("/tmp/numbers") == 0);
    file = fopen("/tmp/numbers", "w");
    assert(fclose(file) == 0);
    file = fopen("/tmp/numbers", "r");
    assert(fprintf(file, "no") == -1);
    assert(fclose(file) == 0 && unlink("/tmp/numbers") == 0);
}

static void read_texts(void)
{
    int one = -1, other = -1, count = -1;
    double value = -1;
    float narrow = -1;
    char text[20], set[20];
    wchar_t wide[20];
    assert(sscanf(" 12,0x1f", "%d,%i%n", &one, &other, &count) == 2 && one == 12 && other == 31 && count == 8);
    assert(sscanf("1234567", "%3d%2d%*d", &one, &other) == 2 && one == 123 && other == 45);
    assert(sscanf("1.5e3x", "%lfx", &value) == 1 && value == 1500);
    assert(sscanf("infinity nan", "%f %lf", &narrow, &value) == 2 && isinf(narrow) && isnan(value));
    assert(sscanf("abc-]x", "%[a-c]%[]-]", text, set) == 2 && strcmp(text, "abc") == 0 && strcmp(set, "-]") == 0);
    assert(sscanf("key=value", "%[^=]=%s", text, set) == 2 && strcmp(set, "value") == 0);
    assert(sscanf("b 2.5", "%2$s %1$lf", &value, text) == 2 && value == 2.5 && strcmp(text, "b") == 0);
    assert(sscanf("abc", "%2c", text) == 1 && memcmp(text, "ab", 2) == 0);
    assert(sscanf("wide", "%ls", wide) == 1 && wcscmp(wide, L"wide") == 0);
    assert(sscanf("x", "%d", &one) == 0 && sscanf("", "%d", &one) == EOF && sscanf("  ", "%s", text) == EOF);
    assert(sscanf("5%", "%d%%", &one) == 1 && one == 5);
    char letter;
    short small;
    long long large;
    assert(sscanf("300 70000 -9223372036854775809", "%hhd %hd %lld", &letter, &small, &large) == 3);
    assert(letter == 44 && small == 4464 && large == LLONG_MIN);
}

/* In integers: a product and a sum of small ones have an exact value that both ways have to give. */
static void multiply_and_add(void)
{
    for (int i = 0; i < 20000; i++) {
        int64_t x = (int64_t)(bits() >> 34) | 1, y = (int64_t)(bits() >> 34) | 1, z = (int64_t)(bits() >> 3);
        int shift = (int)(bits() % 3) * 30;
        __int128 exact = (__int128)x * y + ((__int128)(int64_t)(double)z << shift);
        assert(fma((double)x, (double)y, ldexp((double)z, shift)) == (double)exact);
        assert(fma((double)x, (double)y, -((double)x * (double)y)) == (double)((__int128)x * y - (__int128)((double)x * (double)y)));
    }
    assert(fma(0x1p-600, 0x1p-600, 5e-324) == 5e-324 && fma(1e300, 1e300, -INFINITY) == -INFINITY);
    assert(fma(0x1.8p-538, 0x1p-537, 0) == 5e-324 * 0 + 0x1p-1074 && isnan(fma(INFINITY, 0, 1)));
    assert(fmaf(1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f) == 0x1p-24f);
    /* Rounded to a double first this would be even. */
    assert(fmaf(1 + 0x1p-23f, 1, 0x1p-24f + 0x1p-47f) == 1 + 0x1p-22f);
}

static int order(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static void search(void)
{
    int even[50];
    for (int count = 0; count <= 50; count++) {
        for (int i = 0; i < count; i++)
            even[i] = 2 * i;
        for (int key = -1; key <= 2 * count; key++) {
            int *found = bsearch(&key, even, (size_t)count, sizeof *even, order);
            assert(found == (key >= 0 && key % 2 == 0 && key < 2 * count ? &even[key / 2] : NULL));
        }
    }
}

int main(void)
{
    write_texts();
    read_long_doubles();
    use_streams();
    read_texts();
    multiply_and_add();
    search();
    puts("OK");
    return 0;
}
