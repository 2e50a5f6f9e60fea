! OpenMP in Fortran: what each thread has for itself: private variables of all kinds, threadprivate ones and COMMON blocks,
! their first values and their last.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 3
module own
  implicit none
  type point
    real :: x = 1.5
    integer, allocatable :: parts(:)
  end type
  integer, save :: counter = 5
  real(8), save :: field(100)
  type(point), save :: place
  integer, allocatable, save :: list(:)
  !$omp threadprivate(counter, field, place, list)
end module

program sharing
  use mpi
  use checks
  use omp_lib
  use own
  implicit none
  integer :: ierror, provided, wrong, me, i, first, last, chosen, got
  integer, save :: saved = 3
  integer :: in_common
  real(8) :: many
  common /block/ in_common, many(50)
  integer, allocatable :: array(:), copy(:)
  character(len=:), allocatable :: word
  character(len=8) :: name
  complex(8) :: z
  type(point) :: here
  !$omp threadprivate(saved, /block/)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(3)
  call omp_set_dynamic(.false.)
  in_common = 11
  many = 2.5d0
  saved = 7
  field = 1
  counter = 6
  wrong = 0
  !$omp parallel copyin(saved, /block/, counter) private(me) reduction(+: wrong)
  me = omp_get_thread_num()
  if (saved /= 7 .or. in_common /= 11 .or. any(many /= 2.5d0) .or. counter /= 6) wrong = wrong + 1
  saved = saved + me
  in_common = in_common * (me + 1)
  many(me + 1) = me
  field = me
  counter = me
  call in_another_procedure(me, wrong)
  allocate (list(me + 2))
  list = me
  place%x = me
  !$omp end parallel
  call check(wrong == 0, 'copies of the first thread''s')
  wrong = 0
  !$omp parallel private(me) reduction(+: wrong)
  me = omp_get_thread_num()
  if (saved /= 7 + me .or. in_common /= 11 * (me + 1) .or. many(me + 1) /= me) wrong = wrong + 1
  if (any(field /= me) .or. counter /= me .or. place%x /= me) wrong = wrong + 1
  if (.not. allocated(list)) then
    wrong = wrong + 1
  else if (size(list) /= me + 2 .or. any(list /= me)) then
    wrong = wrong + 1
  end if
  !$omp end parallel
  call check(wrong == 0, 'each thread finds its own again')
  call check(saved == 7 .and. in_common == 11, 'the first thread has the program''s')

  allocate (array(10), source=4)
  word = 'first'
  name = 'a name'
  z = (1, 2)
  here%parts = [1, 2, 3]
  first = 9
  wrong = 0
  !$omp parallel firstprivate(array, word, name, z, here, first) private(copy, me) reduction(+: wrong)
  me = omp_get_thread_num()
  if (any(array /= 4) .or. word /= 'first' .or. name /= 'a name' .or. z /= (1, 2) .or. first /= 9) wrong = wrong + 1
  if (size(here%parts) /= 3 .or. here%x /= 1.5) wrong = wrong + 1
  array = me
  word = repeat('x', me)
  here%parts = [me]
  first = me
  z = me
  !$omp barrier
  if (any(array /= me) .or. len(word) /= me .or. here%parts(1) /= me .or. first /= me .or. z /= me) wrong = wrong + 1
  allocate (copy(me + 1))
  copy = me
  if (sum(copy) /= me * (me + 1)) wrong = wrong + 1
  deallocate (copy)
  !$omp end parallel
  call check(wrong == 0, 'private and firstprivate')
  call check(all(array == 4) .and. word == 'first' .and. size(here%parts) == 3 .and. .not. allocated(copy), 'the originals')

  !$omp parallel do lastprivate(last, array) schedule(dynamic)
  do i = 1, 100
    last = i
    array = i
  end do
  call check(last == 100 .and. all(array == 100), 'lastprivate')
  !$omp parallel
  !$omp sections lastprivate(last)
  !$omp section
  last = 1
  !$omp section
  last = 2
  !$omp end sections
  !$omp end parallel
  call check(last == 2, 'the last section counts')

  wrong = 0
  !$omp parallel private(chosen, me) shared(got) reduction(+: wrong)
  me = omp_get_thread_num()
  chosen = -1
  !$omp single
  chosen = 40 + me
  got = chosen
  saved = 17
  !$omp end single copyprivate(chosen, saved)
  if (chosen /= got .or. saved /= 17) wrong = wrong + 1
  !$omp end parallel
  call check(wrong == 0, 'copyprivate')

  wrong = 0
  !$omp parallel default(none) shared(first, wrong) private(me)
  me = omp_get_thread_num()
  !$omp atomic
  wrong = wrong + first
  !$omp end parallel
  call check(wrong == 27, 'default(none)')
  call finish
contains
  subroutine in_another_procedure(me, wrong)
    integer, intent(in) :: me
    integer, intent(inout) :: wrong
    integer :: first_of_block
    real(8) :: rest
    common /block/ first_of_block, rest(50)
    !$omp threadprivate(/block/)
    if (first_of_block /= 11 * (me + 1) .or. rest(me + 1) /= me) wrong = wrong + 1
  end subroutine
end program
