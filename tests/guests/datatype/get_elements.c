// MPI_Get_elements, MPI_Get_elements_x, MPI_Get_count: parts of nested structures, of pairs, of types without content.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    struct {
        int i[2];
        double d;
    } in[4];
    int32_t out[16] = {0};
    MPI_Datatype type, empty;
    MPI_Status status;
    count_t elements = -1;
    MPI_Count elements_x = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Type_create_struct(2, (count_t[]){2, 1}, (aint_t[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type));
    TRY(MPI_Type_commit(&type));
    // One whole element, and the two integers of the second: 5 basic elements in 24 bytes.
    for (int words = 0; words <= 8; words++) {
        static const int expected[] = {0, 1, 2, MPI_UNDEFINED, 3, 4, 5, MPI_UNDEFINED, 6};
        TRY(MPI_Sendrecv(out, 4 * words, MPI_BYTE, rank, 0, in, 4, type, rank, 0, MPI_COMM_WORLD, &status));
        CHECK_COUNT(status, type, words % 4 == 0 ? words / 4 : MPI_UNDEFINED);
        if (expected[words] != MPI_UNDEFINED) {
            TRY(MPI_Get_elements(&status, type, &elements));
            CHECK_INT(elements, expected[words]);
            TRY(MPI_Get_elements_x(&status, type, &elements_x));
            CHECK_INT(elements_x, expected[words]);
        }
    }
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_contiguous(0, MPI_INT, &empty));
    TRY(MPI_Type_commit(&empty));
    TRY(MPI_Sendrecv(out, 3, empty, rank, 0, in, 3, empty, rank, 0, MPI_COMM_WORLD, &status));
    CHECK_COUNT(status, empty, 0);
    TRY(MPI_Get_elements(&status, empty, &elements));
    CHECK_INT(elements, 0);
    TRY(MPI_Get_elements_x(&status, empty, &elements_x));
    CHECK_INT(elements_x, 0);
    // What came is no number of such elements.
    TRY(MPI_Sendrecv(out, 12, MPI_BYTE, rank, 0, in, 12, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &status));
    TRY(MPI_Get_elements(&status, empty, &elements));
    CHECK_INT(elements, MPI_UNDEFINED);
    TRY(MPI_Get_elements_x(&status, empty, &elements_x));
    CHECK_INT(elements_x, MPI_UNDEFINED);
    TRY(MPI_Type_free(&empty));
    return check_end();
}
