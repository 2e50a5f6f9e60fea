// --env sets a variable, arguments arrive as they are, and nothing else of the host's environment does.
// ranks: 1 3
// run: --env COLOUR=blue
// args: --flag -n 5 last
#include "../guests/check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(getenv("COLOUR") != NULL);
    CHECK_STR(getenv("COLOUR"), "blue");
    CHECK(getenv("HOME") == NULL);
    CHECK_INT(argc, 5);
    CHECK_STR(argv[1], "--flag");
    CHECK_STR(argv[3], "5");
    CHECK_STR(argv[4], "last");
    return check_end();
}
