// MPI_Abi_set_fortran_info, MPI_Abi_set_fortran_booleans and MPI_Abi_get_fortran_booleans: what a Fortran program tells the library.
#include "../check.h"

int main(int argc, char **argv)
{
    int32_t yes = 1, no = 0, got_yes = -5, got_no = -5;
    int is_set = -1, code;
    MPI_Info info;
    char value[16];
    int length = sizeof value, flag = 0;
    check_begin(&argc, &argv);
    // Only what was not set before may be set: an error is an answer too.
    code = MPI_Abi_set_fortran_booleans(4, &yes, &no);
    CHECK(code == MPI_SUCCESS || check_class(code) == MPI_ERR_ABI);
    TRY(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
    if (code == MPI_SUCCESS)
        CHECK_INT(is_set, 1);
    if (is_set) {
        CHECK(got_yes != got_no);
        if (code == MPI_SUCCESS) {
            CHECK_INT(got_yes, yes);
            CHECK_INT(got_no, no);
        }
    }
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "mpi_integer_size", "4"));
    code = MPI_Abi_set_fortran_info(info);
    CHECK(code == MPI_SUCCESS || check_class(code) == MPI_ERR_ABI);
    TRY(MPI_Info_free(&info));
    TRY(MPI_Abi_get_fortran_info(&info));
    if (code == MPI_SUCCESS) {
        CHECK(info != MPI_INFO_NULL);
        TRY(MPI_Info_get_string(info, "mpi_integer_size", &length, value, &flag));
        CHECK_INT(flag, 1);
        CHECK_STR(value, "4");
    }
    if (info != MPI_INFO_NULL)
        TRY(MPI_Info_free(&info));
    TRY(MPI_Abi_get_fortran_info(&info));
    if (embedded() || info != MPI_INFO_NULL) {
        static const char *const keys[] = {
            "mpi_logical_size", "mpi_integer_size", "mpi_real_size", "mpi_double_precision_size",
            "mpi_logical1_supported", "mpi_logical2_supported", "mpi_logical4_supported", "mpi_logical8_supported",
            "mpi_logical16_supported", "mpi_integer1_supported", "mpi_integer2_supported", "mpi_integer4_supported",
            "mpi_integer8_supported", "mpi_integer16_supported", "mpi_real2_supported", "mpi_real4_supported",
            "mpi_real8_supported", "mpi_real16_supported", "mpi_complex4_supported", "mpi_complex8_supported",
            "mpi_complex16_supported", "mpi_complex32_supported", "mpi_double_complex_supported",
        };
        for (size_t key = 0; key < sizeof keys / sizeof *keys; key++) {
            length = sizeof value;
            TRY(MPI_Info_get_string(info, keys[key], &length, value, &flag));
            CHECK_INT(flag, code == MPI_SUCCESS && !embedded() ? flag : 1);
        }
        TRY(MPI_Info_free(&info));
    }
    return check_end();
}
