// A program that was linked for deep calls has the room that it asked for, as threads and as fibers; nobody has to say --call-stack.
// ranks: 1 3
// cc: -O0 -Wl,-z,stack-size=268435456 -Wl,-z,call-stack=67108864
#include "../guests/check.h"

static int deep(int level)
{
    return level == 0 ? 0 : 1 + deep(level - 1);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK_INT(deep(argc * 100000), 100000);
    return check_end();
}
