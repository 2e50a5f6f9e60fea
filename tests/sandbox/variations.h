/* For guests that try an attack in many variations: each is named on the error stream before it runs, and all is well after it. */
#ifndef VARIATIONS_H
#define VARIATIONS_H

#include "hostile.h"

struct variation {
    const char *name;
    void (*run)(void);
};

/* What has to hold after each, besides. */
static void (*after_each)(void);

/* Runs all of them, or the one that the program's argument names. */
static inline int run_variations(int argc, char **argv, const struct variation *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], all[i].name) != 0)
            continue;
        if (rank == 0)
            fprintf(stderr, "%s\n", all[i].name);
        all[i].run();
        if (after_each)
            after_each();
        still_fine();
    }
    return check_end();
}

#define VARIATIONS(all) run_variations(argc, argv, all, sizeof(all) / sizeof *(all))

#endif
