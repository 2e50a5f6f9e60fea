! --check-heap in Fortran: an element behind the end of an allocatable array.
! ranks: 1
! run: --check-heap
! cc: -g -O0
! exit: 134
! stderr: right behind a block of 40 bytes allocated by the main program (
! stderr: heap_behind_fortran.f90:
program heap
    use mpi
    implicit none
    integer, allocatable :: x(:)
    integer :: error, n
    call MPI_Init(error)
    n = 10
    allocate (x(n))
    call set(x, n + 1)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    print *, x(1)
    call MPI_Finalize(error)
contains
    subroutine set(y, at)
        integer, intent(inout) :: y(*)
        integer, intent(in) :: at
        y(at) = 1
    end subroutine
end program
