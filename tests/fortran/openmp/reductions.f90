! OpenMP in Fortran: reductions by every operator, of every kind of number, of arrays, and declared by the program.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 3
program reductions
  use mpi
  use checks
  use omp_lib
  implicit none
  integer, parameter :: n = 120
  integer :: ierror, provided, i, total, product, least, most, all_bits, any_bits, odd_bits, far
  integer(1) :: byte
  integer(8) :: wide
  real :: single
  real(8) :: double, smallest, sums(5), grid(3, 4)
  complex(8) :: z
  logical :: conjunction, disjunction, same, differ
  integer, allocatable :: counts(:)
  !$omp declare reduction(longest: integer: omp_out = max(abs(omp_out), abs(omp_in))) initializer(omp_priv = 0)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(3)
  total = 100
  product = 1
  least = huge(least)
  most = -huge(most)
  byte = 0
  wide = 0
  single = 0
  double = 0
  smallest = 1d300
  z = 0
  !$omp parallel do reduction(+: total, byte, wide, single, double, z) reduction(min: least, smallest) &
  !$omp& reduction(max: most) reduction(*: product)
  do i = 1, n
    total = total - i
    if (i <= 10) byte = byte + int(i, 1)
    wide = wide + i * 10000000000_8
    single = single + i
    double = double + 0.5d0 * i
    z = z + cmplx(i, -i, 8)
    least = min(least, abs(i - 50))
    most = max(most, i)
    smallest = min(smallest, 1d0 / i)
    if (mod(i, 40) == 0) product = product * (i / 40)
  end do
  call check(total == 100 - n * (n + 1) / 2 .and. byte == 55, 'sums of integers')
  call check(wide == 10000000000_8 * (n * (n + 1) / 2), 'a sum of 64 bits')
  call check(single == n * (n + 1) / 2 .and. double == n * (n + 1) / 4, 'sums of reals')
  call check(z == cmplx(n * (n + 1) / 2, -n * (n + 1) / 2, 8), 'a sum of complex numbers')
  call check(least == 0 .and. most == n .and. smallest == 1d0 / n .and. product == 6, 'extremes and a product')

  all_bits = not(0)
  any_bits = 0
  odd_bits = 0
  conjunction = .true.
  disjunction = .false.
  same = .true.
  differ = .false.
  !$omp parallel do reduction(iand: all_bits) reduction(ior: any_bits) reduction(ieor: odd_bits) &
  !$omp& reduction(.and.: conjunction) reduction(.or.: disjunction) reduction(.eqv.: same) reduction(.neqv.: differ)
  do i = 0, 15
    all_bits = iand(all_bits, not(ishft(1, i)))
    any_bits = ior(any_bits, ishft(1, i))
    odd_bits = ieor(odd_bits, i)
    conjunction = conjunction .and. i < 16
    disjunction = disjunction .or. i == 7
    same = same .eqv. i /= 3
    differ = differ .neqv. i == 3
  end do
  call check(all_bits == not(65535) .and. any_bits == 65535 .and. odd_bits == 0, 'bits')
  call check(conjunction .and. disjunction .and. .not. same .and. differ, 'logical values')

  sums = 0
  grid = 1
  allocate (counts(7), source=0)
  !$omp parallel do reduction(+: sums, grid, counts)
  do i = 1, n
    sums = sums + i
    grid(1 + mod(i, 3), 1 + mod(i, 4)) = grid(1 + mod(i, 3), 1 + mod(i, 4)) + 1
    counts(1 + mod(i, 7)) = counts(1 + mod(i, 7)) + 1
  end do
  call check(all(sums == n * (n + 1) / 2) .and. all(grid == 11), 'arrays')
  call check(sum(counts) == n .and. counts(1) == n / 7, 'an allocatable array')
  call of_dummies(sums, size(sums))

  far = 0
  !$omp parallel do reduction(longest: far)
  do i = 1, n
    far = max(far, abs(50 - i))
  end do
  call check(far == 70, 'a reduction of the program''s')
  call finish
contains
  subroutine of_dummies(values, length)
    integer, intent(in) :: length
    real(8), intent(inout) :: values(length)
    integer :: i
    values = 0
    !$omp parallel do reduction(+: values)
    do i = 1, n
      values(1 + mod(i, length)) = values(1 + mod(i, length)) + 1
    end do
    call check(all(values == n / length), 'an array of a size known when it runs')
  end subroutine
end program
