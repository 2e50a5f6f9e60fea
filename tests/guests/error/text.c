// The text of an error names the function, the argument and its value.
// native: no (every library has its own words)
// ranks: 1 3
#include "../check.h"

static void expect(int code, const char *const *words)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK(code != MPI_SUCCESS);
    TRY(MPI_Error_string(code, text, &length));
    for (; *words; words++)
        if (strstr(text, *words) == NULL)
            check_fail(__FILE__, __LINE__, "the text", "expected the word \"%s\" in \"%s\"", *words, text);
}

int main(int argc, char **argv)
{
    int value = 0;
    MPI_Datatype type;
    check_begin(&argc, &argv);
    if (!embedded())
        return check_end();
    expect(MPI_Send(&value, 1, MPI_INT, 77, 0, MPI_COMM_WORLD), (const char *[]){"MPI_Send", "77", NULL});
    expect(MPI_Recv(&value, 1, MPI_INT, 0, -44, MPI_COMM_WORLD, MPI_STATUS_IGNORE), (const char *[]){"MPI_Recv", "-44", NULL});
    expect(MPI_Bcast(&value, -3, MPI_INT, 0, MPI_COMM_WORLD), (const char *[]){"MPI_Bcast", "-3", NULL});
    expect(MPI_Type_contiguous(-9, MPI_INT, &type), (const char *[]){"MPI_Type_contiguous", "-9", NULL});
    return check_end();
}
