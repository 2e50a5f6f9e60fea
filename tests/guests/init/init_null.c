// MPI_Init without arguments; the program's arguments are untouched by it.
// args: one two words
#include "../check.h"

int main(int argc, char **argv)
{
    TRY(MPI_Init(NULL, NULL));
    check_errors_return();
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_INT(argc, 4);
    CHECK_STR(argv[1], "one");
    CHECK_STR(argv[2], "two");
    CHECK_STR(argv[3], "words");
    CHECK(argv[4] == NULL);
    return check_end();
}
