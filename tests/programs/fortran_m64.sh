# Fortran with 64-bit addresses: all bindings of MPI know how wide they are, C and Fortran link, objects of both widths don't, and
# what there is not for such programs is refused by name.
# full: it needs what `rankine sdk build openmp m64` makes

cat > kinds.f <<'END'
      program kinds
      implicit none
      include 'mpif.h'
      integer ierror, rank, total
      integer(kind=MPI_ADDRESS_KIND) lower, extent, long
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_TYPE_GET_EXTENT(MPI_AINT, lower, extent, ierror)
      call MPI_REDUCE(rank, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
      if (rank .eq. 0) print '(3(i0,1x),i0)', kind(long), lower, extent, total
      call MPI_FINALIZE(ierror)
      end
END
sed -e "s/include 'mpif.h'//; s/implicit none/use mpi/" kinds.f > kinds_mpi.f
sed -e "s/include 'mpif.h'//; s/implicit none/use mpi_f08/" kinds.f > kinds_f08.f
for source in kinds kinds_mpi kinds_f08; do
    rankine fc -m64 -ffixed-line-length-132 $source.f -o $source.wasm
    diff - <(rankine run -n 4 $source.wasm) <<< '8 0 8 6'
    rankine fc -ffixed-line-length-132 $source.f -o narrow.wasm
    diff - <(rankine run -n 4 narrow.wasm) <<< '4 0 4 6'
done
rankine info kinds.wasm | grep -q '64 bits'

# A program of both languages in separate steps, with the flag as build systems pass it.
cat > sum.f90 <<'END'
function total(values, n) bind(C)
  use, intrinsic :: iso_c_binding
  integer(c_size_t), value :: n
  integer(c_long), intent(in) :: values(n)
  integer(c_long) :: total
  total = sum(values)
end function
END
cat > main.c <<'END'
#include <stdio.h>
long total(const long *values, size_t n);
int main(void)
{
    const long values[] = {1L << 40, 2, 3};
    printf("%ld\n", total(values, 3) - (1L << 40));
}
END
rankine fc -m64 -O2 -c sum.f90 -o sum.o
rankine cc -m64 -O2 -c main.c -o main.o
rankine fc -m64 main.o sum.o -o both.wasm
diff - <(rankine run -n 1 both.wasm) <<< 5

# Threads, in both languages.
cat > loops.f90 <<'END'
program loops
  use omp_lib
  use mpi_f08
  implicit none
  integer(8) :: total, i
  integer :: level
  interface
    function added(value) bind(C)
      use, intrinsic :: iso_c_binding
      integer(c_long), value :: value
      integer(c_long) :: added
    end function
  end interface
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  total = 0
  !$omp parallel do reduction(+:total) schedule(dynamic, 7)
  do i = 1, 1000
    total = total + ishft(1_8, 33) + added(i)
  end do
  print '(i0,1x,i0)', omp_get_max_threads(), total - 1000 * ishft(1_8, 33)
  call MPI_Finalize()
end program
END
cat > added.c <<'END'
long added(long value)
{
    static long last;
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < value; i++)
        sum++;
#pragma omp critical(last)
    last = sum;
    return sum;
}
END
rankine cc -m64 -fopenmp -O2 -c added.c -o added.o
rankine fc -m64 -fopenmp -O2 loops.f90 added.o -o loops.wasm
diff - <(rankine run -n 1 --threads-per-rank 3 loops.wasm) <<< '3 500500'

# refused TEXT FLAG…: rankine fc says so, and makes nothing.
refused() {
    local text=$1 said
    shift
    said=$(rankine fc "$@" 2>&1) && { echo "taken: $*"; exit 1; }
    grep -qF -e "$text" <<< "$said" || { echo "$* gives: $said"; exit 1; }
}
refused 'give -m64 when you link, too' main.o sum.o -o narrow.wasm
rankine fc -O2 -c sum.f90 -o narrow.o
refused "compile all of a program's files with it, or none" -m64 main.o narrow.o -o both.wasm
