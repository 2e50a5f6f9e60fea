// Standard input goes to rank 0; the others find its end at once.
// engines: local
// ranks: 1 3
// stdin: a line for the first rank
#include "../guests/check.h"

int main(int argc, char **argv)
{
    char line[100];
    check_begin(&argc, &argv);
    if (rank == 0) {
        CHECK(fgets(line, sizeof line, stdin) != NULL);
        CHECK_STR(line, "a line for the first rank\n");
    }
    CHECK(fgets(line, sizeof line, stdin) == NULL);
    return check_end();
}
