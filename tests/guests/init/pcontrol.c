// MPI_Pcontrol: a call that a tool may listen to, and nobody else.
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TRY(MPI_Pcontrol(0));
    TRY(MPI_Pcontrol(1));
    TRY(MPI_Pcontrol(2, "phase", 3.5, 7));
    return check_end();
}
