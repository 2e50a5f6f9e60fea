! User-defined operations of both modules, with plain and large counts, and logicals about them.
! ranks: 1 2 3 4
! with: ../check.f90
module products
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
contains
  subroutine multiply(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    complex, pointer :: a(:), b(:)
    if (datatype /= MPI_COMPLEX) return
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a*b
  end subroutine
  subroutine multiply_large(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    complex, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a*b
  end subroutine
  subroutine typed
    use checks
    type(MPI_Op) :: op
    complex :: x(3), y(3)
    integer :: rank, size
    logical :: flag
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Op_create(multiply, .true., op)
    x = (0.0, 1.0)
    call MPI_Allreduce(x, y, 3, MPI_COMPLEX, op, MPI_COMM_WORLD)
    call check(all(abs(y - (0.0, 1.0)**size) < 1e-6), 'mpi_f08')
    call MPI_Op_commutative(op, flag)
    call check(flag, 'Op_commutative')
    call MPI_Op_free(op)
    call check(op == MPI_OP_NULL, 'Op_free')
    call MPI_Op_create_c(multiply_large, .false., op)
    call MPI_Op_commutative(op, flag)
    call check(.not. flag, 'Op_commutative of another')
    y = (2.0, 0.0)
    call MPI_Reduce_local(x, y, 3_MPI_COUNT_KIND, MPI_COMPLEX, op)
    call check(all(abs(y - (0.0, 2.0)) < 1e-6), 'Op_create_c')
    call MPI_Op_free(op)
  end subroutine
end module

subroutine greatest(a, b, n, datatype)
  use mpi
  implicit none
  integer :: n, datatype, a(n), b(n)
  if (datatype == MPI_INTEGER) b = max(a, b)
end subroutine

program operations
  use mpi
  use checks
  use products, only: typed
  implicit none
  external :: greatest
  integer :: op, ierror, rank, size, pair(2), best(2)
  real :: located(2), at(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Op_create(greatest, .true., op, ierror)
  pair = [rank, -rank]
  call MPI_Allreduce(pair, best, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  call check(best(1) == size - 1 .and. best(2) == 0, 'the module mpi')
  call MPI_Op_free(op, ierror)
  located = [abs(rank - 1.5), real(rank)]
  call MPI_Allreduce(located, at, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD, ierror)
  call check(at(2) == min(1, size - 1), 'MPI_2REAL')
  call typed
  call finish
end program
