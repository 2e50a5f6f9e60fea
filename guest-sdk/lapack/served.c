// A routine of BLAS or LAPACK that the host may do in the guest's place. It is compiled once for each of them: ROUTINE is
// the routine's name, POINTERS are its parameters and VALUES their names; LENGTHS and LENGTH_VALUES are those of the hidden
// lengths of its strings. HOST does all of the work, or says that it did nothing; then it is done by the reference routine,
// which was compiled as COMPILED.

#include <stddef.h>

#define TEXT(word) #word
#define NAME(word) TEXT(word)

__attribute__((import_module("rankine_math"), import_name(NAME(ROUTINE)))) int HOST(POINTERS);

void COMPILED(POINTERS LENGTHS);

void FORTRAN(POINTERS LENGTHS)
{
    if (!HOST(VALUES))
        COMPILED(VALUES LENGTH_VALUES);
}
