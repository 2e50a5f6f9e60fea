// With more room for calls the same program comes to its end, as threads and as fibers.
// ranks: 1 3
// run: --call-stack 64M
// cc: -O0 -Wl,-z,stack-size=268435456
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
