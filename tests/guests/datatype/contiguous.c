// MPI_Type_contiguous, also of types with holes, also of nothing.
// ranks: 1 2 3
// large: yes
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, gappy, nested;
    check_begin(&argc, &argv);
    TRY(MPI_Type_contiguous(3, MPI_INT, &type));
    check_layout(type, (long[]){0, 4, 8}, 3, 0, 12);
    TRY(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    TRY(MPI_Type_contiguous(0, MPI_INT, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_resized(MPI_INT, 0, 12, &gappy));
    TRY(MPI_Type_contiguous(3, gappy, &nested));
    check_layout(nested, (long[]){0, 12, 24}, 3, 0, 36);
    TRY(MPI_Type_free(&gappy));
    TRY(MPI_Type_free(&nested));
    FAILS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
    return check_end();
}
