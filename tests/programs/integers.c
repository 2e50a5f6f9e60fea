/* What strtol and its kin say of random texts: numbers, ends and errors, in one number for each block of texts. A long has 32
 * bits everywhere here, as in a guest. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 30, TEXTS = 20000, LONGEST = 24 };

static uint64_t state = 88172645463325252u, sum;

static unsigned number(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

static void note(uint64_t word)
{
    sum = sum * 31 + word;
}

static void write_text(char *text)
{
    static const char any[] = "0123456789abcfxXzZ-+ \t\n89990000777";
    int length = (int)number(LONGEST), at = 0, digits = number(3) > 0;
    switch (number(4)) {
    case 1:
        text[at++] = '-';
        break;
    case 2:
        text[at++] = '0';
        text[at++] = 'x';
    }
    while (at < length)
        text[at++] = digits ? (char)('0' + number(10)) : any[number(sizeof any - 1)];
    text[at] = 0;
}

static int is_beyond(void)
{
    int is = errno == ERANGE;
    errno = 0;
    return is;
}

static void read_longs(const char *text, int base)
{
#if LONG_MAX > INT32_MAX
    int64_t wide = strtoll(text, NULL, base);
    int beyond = is_beyond() | (wide != (int32_t)wide);
    note((uint64_t)(!beyond ? wide : wide < 0 ? INT32_MIN : INT32_MAX));
    note(beyond);
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    uint64_t size = strtoull(text, NULL, base), magnitude = *text == '-' ? -size : size;
    beyond = is_beyond() | (magnitude > UINT32_MAX);
    note(beyond ? UINT32_MAX : (uint32_t)size);
    note(beyond);
#else
    note((uint64_t)(int64_t)strtol(text, NULL, base));
    note(is_beyond());
    note(strtoul(text, NULL, base));
    note(is_beyond());
#endif
}

int main(void)
{
    static const int bases[] = {0, 10, 16, 8, 2, 36, 3, 10, 36, 10, 10, 0};
    for (int block = 0; block < BLOCKS; block++) {
        for (int i = 0; i < TEXTS; i++) {
            char text[LONGEST + 4], *end;
            int base = bases[number(12)];
            write_text(text);
            errno = 0;
            note((uint64_t)strtoll(text, &end, base));
            note((uint64_t)(end - text));
            note(is_beyond());
            note(strtoumax(text, &end, base));
            note((uint64_t)(end - text));
            note(is_beyond());
            read_longs(text, base);
        }
        printf("%d %" PRIx64 "\n", block, sum);
    }
    return 0;
}
