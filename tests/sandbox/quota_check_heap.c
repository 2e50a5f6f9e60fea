// What --check-heap keeps of blocks, with the names of those that asked for them, is the rank's memory: with long names there are fewer blocks.
// ranks: 1 2
// run: --check-heap --memory-limit 64M
// cc: -O0
// peak: limits + 96
// exit: nonzero
// stderr: what --check-heap knows of blocks need | block != NULL
#include "hostile.h"

#define A(x) x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too
#define B(x) A(x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too)
#define C(x) B(x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too)
#define D(x) C(x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too)
#define E(x) D(x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too)
#define F(x) E(x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too)
#define NAMED(x) F(x##_of_which_more_is_kept_than_of_the_block_that_it_has_asked_for_and_of_many_such_blocks_too)

static int taken;

/* As deep as callers are kept. */
__attribute__((noinline)) static void NAMED(caller)(int depth)
{
    if (depth > 0) {
        NAMED(caller)(depth - 1);
        taken++;
        return;
    }
    for (int i = 0; i < 100; i++) {
        void *volatile block = malloc(1);
        CHECK(block != NULL);
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    // With what is charged a block has its record and eight names.
    for (int i = 0; i < 3000; i++)
        NAMED(caller)(8);
    return hostile_end();
}
