! Threads of OpenMP that write and read at the same time: one unit, units of their own, variables, and standard output.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 4 --dir {scratch}::.
program input_output
  use mpi
  use checks
  use omp_lib
  implicit none
  integer, parameter :: lines = 400
  integer :: ierror, provided, i, number, twice, wrong, status, unit
  logical :: seen(lines)
  character(len=40) :: text

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(4)

  open (newunit=unit, status='scratch', form='formatted')
  !$omp parallel do schedule(dynamic)
  do i = 1, lines
    write (unit, '(a,i0,a,i0)') 'line ', i, ' ', 2 * i
  end do
  rewind unit
  seen = .false.
  do i = 1, lines
    read (unit, '(a)', iostat=status) text
    call check(status == 0 .and. text(:5) == 'line ', 'a line as it was written')
    read (text(6:), *, iostat=status) number, twice
    call check(status == 0 .and. twice == 2 * number, 'its numbers')
    if (number >= 1 .and. number <= lines) seen(number) = .true.
  end do
  read (unit, '(a)', iostat=status) text
  call check(status < 0 .and. all(seen), 'every line once')
  close (unit)

  wrong = 0
  !$omp parallel do private(text, number, status) reduction(+: wrong)
  do i = 1, 20000
    write (text, '(i10,1x,f12.3)') i, 0.5 * i
    read (text, *, iostat=status) number
    if (status /= 0 .or. number /= i) wrong = wrong + 1
  end do
  call check(wrong == 0, 'numbers to text and back')

  wrong = 0
  !$omp parallel private(unit, i, number, status) reduction(+: wrong)
  open (newunit=unit, status='scratch', form='unformatted', access='stream')
  do i = 1, 100
    write (unit) i * omp_get_thread_num()
  end do
  rewind unit
  do i = 1, 100
    read (unit, iostat=status) number
    if (status /= 0 .or. number /= i * omp_get_thread_num()) wrong = wrong + 1
  end do
  close (unit)
  !$omp end parallel
  call check(wrong == 0, 'a file for each thread')

  !$omp parallel do schedule(dynamic) private(twice)
  do i = 1, 200
    twice = 2 * i
    print *, 'list', i, twice, 0.5 * i
    write (*, '(a)', advance='no') 'part and '
    write (*, '(a,i0)') 'rest ', i
  end do
  call finish
end program
