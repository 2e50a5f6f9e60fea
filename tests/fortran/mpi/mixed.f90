! Fortran and C in one program: handles and statuses go from one to the other.
! ranks: 1 2 3
! with: ../check.f90 mixed_c.c
program mixed
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use checks
  implicit none
  interface
    integer(c_int) function c_rank_of(comm) bind(C)
      import
      integer(c_int), value :: comm
    end function
    integer(c_int) function c_split(comm, color) bind(C)
      import
      integer(c_int), value :: comm, color
    end function
    integer(c_int) function c_tag(status) bind(C)
      import
      integer, intent(in) :: status(*)
    end function
    integer(c_int) function c_tag_f08(status) bind(C)
      import
      type(MPI_Status), intent(in) :: status
    end function
    integer(c_int) function c_pair_type() bind(C)
      import
    end function
  end interface
  integer :: rank, n, pair(2), got(2), array(8)
  type(MPI_Comm) :: half
  type(MPI_Datatype) :: two
  type(MPI_Status) :: status
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call check(c_rank_of(MPI_COMM_WORLD%MPI_VAL) == rank, 'MPI_Comm_f2c')
  half%MPI_VAL = c_split(MPI_COMM_WORLD%MPI_VAL, mod(rank, 2))
  call MPI_Comm_rank(half, n)
  call check(n == rank/2, 'MPI_Comm_c2f')
  two%MPI_VAL = c_pair_type()
  pair = [rank, -rank]
  call MPI_Sendrecv(pair, 1, two, rank, 9, got, 1, two, rank, 9, MPI_COMM_WORLD, status)
  call check(all(got == pair), 'MPI_Type_c2f')
  call check(c_tag_f08(status) == 9, 'MPI_Status_f082c')
  call MPI_Status_f082f(status, array)
  call check(c_tag(array) == 9, 'MPI_Status_f2c')
  call MPI_Comm_free(half)
  call finish
end program
