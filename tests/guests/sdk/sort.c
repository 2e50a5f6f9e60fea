// qsort sorts elements of any width, leaves equal ones in their order, takes few comparisons, and does so without memory, too.
// ranks: 1
// native: no (it takes all memory away)
#define _GNU_SOURCE
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, WIDEST = 48 };

static uint64_t state = 88172645463325252u;
static int comparisons;

static unsigned number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33);
}

static unsigned key(const void *element)
{
    uint16_t key;
    memcpy(&key, element, sizeof key);
    return key;
}

static unsigned place(const void *element)
{
    uint16_t place;
    memcpy(&place, (const char *)element + 2, sizeof place);
    return place;
}

static int compare(const void *left, const void *right)
{
    comparisons++;
    return key(left) < key(right) ? -1 : key(left) > key(right);
}

static int compare_downwards(const void *left, const void *right, void *context)
{
    assert(context == &state);
    return compare(right, left);
}

enum order { RANDOM, FEW_KEYS, SORTED, BACKWARDS, ORDERS };

/* An element is a key, where it was, and bytes that say so again. */
static void fill(char *array, size_t count, size_t width, enum order order)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t key = (uint16_t)number(), place = (uint16_t)i;
        if (order == FEW_KEYS)
            key %= 4;
        if (order == SORTED)
            key = (uint16_t)(i / 2);
        if (order == BACKWARDS)
            key = (uint16_t)(count - i);
        char *element = array + i * width;
        memcpy(element, &key, 2);
        memcpy(element + 2, &place, 2);
        memset(element + 4, (char)(i * 7), width - 4);
    }
}

static void check(const char *array, size_t count, size_t width, int downwards)
{
    for (size_t i = 0; i < count; i++) {
        const char *element = array + i * width;
        for (size_t at = 4; at < width; at++)
            assert(element[at] == (char)(place(element) * 7));
        if (i == 0)
            continue;
        const char *before = element - width;
        assert(downwards ? key(before) >= key(element) : key(before) <= key(element));
        if (key(before) == key(element))
            assert(place(before) < place(element));
    }
}

static void sort_all(char *array)
{
    static const size_t widths[] = {4, 5, 8, 12, 16, 20, 32, 33, 48};
    static const size_t counts[] = {0, 1, 2, 3, 5, 6, 7, 13, 100, 1000, MOST};
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
        for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
            for (enum order order = 0; order < ORDERS; order++) {
                size_t width = widths[w], count = counts[c];
                fill(array, count, width, order);
                qsort(array, count, width, compare);
                check(array, count, width, 0);
                fill(array, count, width, order);
                qsort_r(array, count, width, compare_downwards, &state);
                check(array, count, width, 1);
            }
}

int main(void)
{
    static char array[MOST * WIDEST];
    sort_all(array);
    fill(array, MOST, 8, RANDOM);
    comparisons = 0;
    qsort(array, MOST, 8, compare);
    assert(comparisons < 36000);
    comparisons = 0;
    qsort(array, MOST, 8, compare);
    assert(comparisons < 2 * MOST);
    /* Until nothing is left. */
    void *volatile block;
    for (size_t size = (size_t)1 << 28; size > 0; size /= 2)
        do
            block = malloc(size);
        while (block != NULL);
    sort_all(array);
    puts("OK");
    return 0;
}
