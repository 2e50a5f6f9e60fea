// Wrong arguments of datatype calls.
// ranks: 1 2
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype type = MPI_INT, null = MPI_DATATYPE_NULL;
    count_t bytes;
    check_begin(&argc, &argv);
    FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
    CHECK(type == MPI_INT);
    FAILS(MPI_Type_free(&null), MPI_ERR_TYPE);
    FAILS(MPI_Type_commit(&null), MPI_ERR_TYPE);
    FAILS(MPI_Type_size(null, &bytes), MPI_ERR_TYPE);
    FAILS(MPI_Type_contiguous(2, null, &type), MPI_ERR_TYPE);
    FAILS(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK(MPI_Type_vector(1, -1, 1, MPI_INT, &type) != MPI_SUCCESS);
    FAILS(MPI_Type_create_struct(1, (count_t[]){1}, (aint_t[]){0}, &null, &type), MPI_ERR_TYPE);
    // Committing a committed or a predefined type is allowed.
    type = MPI_INT;
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_free(&type));
    return check_end();
}
