! What Fortran does by itself in threads of OpenMP at the same time: allocation, temporary arrays, strings, automatic arrays,
! random numbers, internal procedures that are passed as arguments, polymorphic variables.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 4
module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(measure), deferred :: area
  end type
  abstract interface
    real(8) function measure(self)
      import :: shape
      class(shape), intent(in) :: self
    end function
  end interface
  type, extends(shape) :: square
    real(8) :: side
  contains
    procedure :: area => square_area
  end type
contains
  real(8) function square_area(self)
    class(square), intent(in) :: self
    square_area = self%side**2
  end function
end module

program memory
  use mpi
  use checks
  use omp_lib
  use shapes
  implicit none
  integer :: ierror, provided, i, wrong
  real(8) :: total

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(4)
  wrong = 0
  !$omp parallel do reduction(+: wrong) schedule(dynamic)
  do i = 1, 3000
    call allocates(i, wrong)
    call calls_back(i, wrong)
  end do
  call check(wrong == 0, 'procedures that allocate and pass procedures')

  total = 0
  call shared_procedure(total)
  call check(total == 3 * 5050, 'a procedure that the host passes to its team')

  wrong = 0
  !$omp parallel reduction(+: wrong)
  call draws(wrong)
  !$omp end parallel
  call check(wrong == 0, 'random numbers')
  call finish
contains
  subroutine allocates(n, wrong)
    integer, intent(in) :: n
    integer, intent(inout) :: wrong
    integer, allocatable :: a(:), b(:)
    integer :: automatic(mod(n, 50) + 1)
    character(len=:), allocatable :: text
    class(shape), allocatable :: one
    integer :: k
    allocate (a(n), source=[(k, k = 1, n)])
    b = pack(a, mod(a, 2) == 0)
    automatic = n
    text = ''
    do k = 1, 20
      text = text // achar(97 + mod(k, 26))
    end do
    allocate (one, source=square(real(n, 8)))
    if (size(b) /= n / 2 .or. sum(automatic) /= n * size(automatic) .or. len(text) /= 20) wrong = wrong + 1
    if (one%area() /= real(n, 8)**2 .or. any(reshape(a, [n]) /= a)) wrong = wrong + 1
    if (trim(adjustl('  ' // text)) /= 'bcdefghijklmnopqrstu') wrong = wrong + 1
  end subroutine

  subroutine calls_back(n, wrong)
    integer, intent(in) :: n
    integer, intent(inout) :: wrong
    if (applied(plus, 10, 3) /= n + 10) wrong = wrong + 1
  contains
    integer function plus(k)
      integer, intent(in) :: k
      plus = n + k
    end function
  end subroutine

  recursive integer function applied(f, k, depth) result(value)
    interface
      integer function f(k)
        integer, intent(in) :: k
      end function
    end interface
    integer, intent(in) :: k, depth
    if (depth == 0) then
      value = f(k)
    else
      value = applied(again, k, depth - 1)
    end if
  contains
    integer function again(k)
      integer, intent(in) :: k
      again = f(k)
    end function
  end function

  subroutine shared_procedure(total)
    real(8), intent(out) :: total
    integer :: factor
    factor = 3
    total = sum_of(scaled)
  contains
    real(8) function scaled(k)
      integer, intent(in) :: k
      scaled = factor * k
    end function
  end subroutine

  real(8) function sum_of(f)
    interface
      real(8) function f(k)
        integer, intent(in) :: k
      end function
    end interface
    integer :: k
    sum_of = 0
    !$omp parallel do reduction(+: sum_of)
    do k = 1, 100
      sum_of = sum_of + f(k)
    end do
  end function

  subroutine draws(wrong)
    integer, intent(inout) :: wrong
    real(8) :: x(2000)
    integer :: k
    do k = 1, 10
      call random_number(x)
      if (any(x < 0 .or. x >= 1) .or. abs(sum(x) / size(x) - 0.5) > 0.1) wrong = wrong + 1
    end do
  end subroutine
end program
