// Functions on strings and blocks of bytes say what a loop over single bytes says, wherever a string begins and ends, also at
// the last byte of the memory.
// ranks: 1
// native: no (it looks at the memory's end)
// cc: -fno-builtin
#define _GNU_SOURCE
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 100, ROUNDS = 60000, PAGE = 65536 };

static uint64_t state = 88172645463325252u;

static unsigned number(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static int compared(const char *left, const char *right, size_t most, int ends)
{
    for (size_t i = 0; i < most; i++) {
        if (left[i] != right[i])
            return (unsigned char)left[i] < (unsigned char)right[i] ? -1 : 1;
        if (ends && left[i] == 0)
            return 0;
    }
    return 0;
}

static const char *found(const char *bytes, char byte, size_t count, int last)
{
    const char *place = NULL;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == byte && (place == NULL || last))
            place = bytes + i;
    return place;
}

static const char *found_string(const char *string, size_t length, const char *wanted, size_t count)
{
    for (size_t at = 0; at + count <= length; at++)
        if (compared(string + at, wanted, count, 0) == 0)
            return string + at;
    return NULL;
}

static void look(const char *string, size_t length)
{
    char wanted = "ab\xff" "c"[number(4)];
    const char *end = string + length, *first = found(string, wanted, length, 0);
    assert(strlen(string) == length);
    size_t most = number(LONGEST + 20), part = number((unsigned)length + 1);
    assert(strnlen(string, most) == (most < length ? most : length));
    assert(strnlen(string, SIZE_MAX) == length);
    assert(strchr(string, wanted) == first);
    assert(strchr(string, 0) == end && strrchr(string, 0) == end);
    assert(strchrnul(string, wanted) == (first ? first : end));
    assert(strrchr(string, wanted) == found(string, wanted, length, 1));
    assert(memchr(string, wanted, part) == found(string, wanted, part, 0));
    assert(memchr(string, 0, SIZE_MAX) == end);
    assert(memrchr(string, wanted, part) == found(string, wanted, part, 1));
}

static void compare(const char *left, const char *right, size_t left_length, size_t right_length)
{
    size_t shorter = left_length < right_length ? left_length : right_length;
    size_t part = number((unsigned)shorter + 1), most = number(LONGEST + 20);
    assert(sign(memcmp(left, right, part)) == compared(left, right, part, 0));
    assert((bcmp(left, right, part) != 0) == (compared(left, right, part, 0) != 0));
    assert(sign(strcmp(left, right)) == compared(left, right, SIZE_MAX, 1));
    assert(sign(strncmp(left, right, most)) == compared(left, right, most, 1));
}

static void copy(const char *string, size_t length)
{
    char room[LONGEST + 40], expected[LONGEST + 40];
    size_t at = 1 + number(16), most = number(LONGEST + 20);
    memset(room, 'z', sizeof room);
    assert(strcpy(room + at, string) == room + at);
    assert(memcmp(room + at, string, length + 1) == 0 && room[at - 1] == 'z' && room[at + length + 1] == 'z');
    memset(room, 'z', sizeof room);
    assert(stpcpy(room + at, string) == room + at + length);
    assert(memcmp(room + at, string, length + 1) == 0 && room[at - 1] == 'z' && room[at + length + 1] == 'z');
    size_t copied = most < length ? most : length;
    memset(room, 'z', sizeof room);
    memset(expected, 'z', sizeof expected);
    for (size_t i = 0; i < most; i++)
        expected[at + i] = i < length ? string[i] : 0;
    assert(strncpy(room + at, string, most) == room + at);
    assert(memcmp(room, expected, sizeof room) == 0);
    assert(stpncpy(room + at, string, most) == room + at + copied);
    assert(memcmp(room, expected, sizeof room) == 0);
}

static void search(const char *string, size_t length)
{
    char wanted[12];
    size_t count = number(2) ? number(4) : number(sizeof wanted);
    size_t from = length > count ? number((unsigned)(length - count)) : 0;
    /* What is there, as a rule. */
    for (size_t i = 0; i < count; i++)
        wanted[i] = number(20) && i < length ? string[from + i] : 'b';
    wanted[count] = 0;
    count = strlen(wanted);
    assert(strstr(string, wanted) == found_string(string, length, wanted, count));
}

/* A string of few different characters. */
static char *filled(char *string, size_t length)
{
    for (size_t i = 0; i < length; i++)
        string[i] = "ab\xff"[number(8) ? 0 : number(3)];
    string[length] = 0;
    return string;
}

/* Where first and last character come all the time, and what is looked for does not, before the very end. */
static void search_in_vain(void)
{
    size_t length = 100000;
    char *string = malloc(length + 1), wanted[64];
    memset(string, 'a', length);
    memset(wanted, 'a', sizeof wanted);
    string[length] = wanted[sizeof wanted - 1] = 0;
    wanted[30] = 'b';
    assert(strstr(string, wanted) == NULL);
    memcpy(string + length - strlen(wanted), wanted, strlen(wanted));
    assert(strstr(string, wanted) == string + length - strlen(wanted));
    free(string);
}

int main(void)
{
    /* The end of a page, and that of the memory: whoever looks further ends by a trap. */
    static char pages[3 * PAGE];
    char *places[] = {(char *)(((size_t)pages + 2 * PAGE) & ~(size_t)(PAGE - 1)) - LONGEST, NULL};
    size_t grown = __builtin_wasm_memory_grow(0, 1);
    assert(grown != (size_t)-1);
    places[1] = (char *)((grown + 1) * PAGE) - LONGEST - 1;
    for (int round = 0; round < ROUNDS; round++) {
        size_t length = number(LONGEST), other_length = number(4) ? length : number(LONGEST);
        char *place = places[number(2)];
        char *string = filled(place + number((unsigned)(LONGEST - length + 1)), length);
        /* At the memory's end, as often as not. */
        if (number(2))
            string = filled(places[1] + LONGEST - length, length);
        static char room[2 * LONGEST];
        char *other = room + number(32);
        memcpy(other, string, length + 1);
        if (other_length != length)
            filled(other, other_length);
        else if (length > 0 && number(2))
            other[number((unsigned)length)] = "ab\xff"[number(3)];
        look(string, length);
        compare(string, other, length, other_length);
        compare(other, string, other_length, length);
        copy(string, length);
        search(string, length);
    }
    search_in_vain();
    puts("OK");
    return 0;
}
