# A type of MPI's is one and the same in all files of a program in C++.
cat > a.cpp <<'C'
#include <any>
#include <cstdio>
#include <mpi.h>
#include <typeinfo>
const std::type_info &of_other(int which);
std::any other();
template <class T> int is_same(int which) { return typeid(T) == of_other(which); }
int main()
{
    int same = is_same<MPI_Comm>(0) + is_same<MPI_Datatype>(1) + is_same<MPI_Request>(2) + is_same<MPI_T_enum>(3);
    std::printf("%d %d\n", same, std::any_cast<MPI_Comm>(other()) == MPI_COMM_WORLD);
}
C
cat > b.cpp <<'C'
#include <any>
#include <mpi.h>
#include <typeinfo>
const std::type_info &of_other(int which)
{
    return which == 0 ? typeid(MPI_Comm) : which == 1 ? typeid(MPI_Datatype) : which == 2 ? typeid(MPI_Request) : typeid(MPI_T_enum);
}
std::any other() { return MPI_COMM_WORLD; }
C
rankine c++ a.cpp b.cpp -o program.wasm
[ "$(rankine run program.wasm)" = '4 1' ]
