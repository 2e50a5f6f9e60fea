// The job's exit status is the highest of its ranks, after each has finalised.
// ranks: 4
// native: no
// exit: 23
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_end();
    return rank == 2 ? 23 : rank;
}
