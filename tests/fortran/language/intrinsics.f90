! Intrinsic procedures: arrays, strings, bits, numbers of all kinds, IEEE arithmetic, time, random numbers.
! ranks: 1
! reference: flang
program intrinsics
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: ieee_arithmetic
  implicit none
  integer :: i, m(3, 4), seed(8), n, values(8), position(2)
  integer(int64) :: ticks, rate
  real :: before, after
  real(8) :: a(3, 3), v(3), busy
  complex :: c
  complex(8) :: d
  character(len=12) :: s
  logical :: mask(4)
  m = reshape([(i, i=1, 12)], [3, 4])
  print *, sum(m, 1), product(m(:, 1)), maxval(m, 2), minloc(m), maxloc(m, mask=m < 7)
  print *, findloc(m, 8), count(m > 5, 1), any(m == 3), all(m > 0, 2)
  print *, transpose(m), shape(m), ubound(m), size(m, 2), cshift(m(1, :), 1), eoshift(m(1, :), -1)
  print *, pack(m, mod(m, 3) == 0), merge(1, 0, m(:, 1) > 1), spread([1, 2], 2, 3)
  mask = [.true., .false., .true., .false.]
  print *, unpack([7, 8], mask, [1, 2, 3, 4]), parity(mask), iall(m(:, 2)), reduce(m(1, :), plus)
  a = reshape([2d0, 0d0, 1d0, 1d0, 3d0, 0d0, 0d0, 1d0, 4d0], [3, 3])
  v = matmul(a, [1d0, 2d0, 3d0])
  print *, v, dot_product(v, v), norm2(v), matmul(a, a)
  s = 'Some text'
  print *, index(s, 'te'), scan(s, 'xyz'), verify(s, 'Some '), adjustr(s), trim(s)//'|', repeat('ab', 3), len_trim(s)
  print *, ichar('A'), achar(66), lge('b', 'a'), iachar('z')
  print *, iand(12, 10), ieor(12, 10), ishft(1, 5), ishftc(5, -1, 4), popcnt(255), leadz(1), trailz(8), btest(5, 2), &
    ibits(255, 2, 3), mvbits_of(7)
  print *, nint(2.5), nint(-2.5d0, int64), anint(3.7), floor(-1.5), ceiling(1.2), mod(-7, 3), modulo(-7, 3), &
    sign(3, -1), dim(5, 3), aint(-2.7)
  print *, nint(12345678901.6d0, int64), int(3e9, int64), real(7_int64, 8)
  c = (1.0, 2.0)
  d = (0.5d0, -1.5d0)
  print '(*(f0.4, 1x))', c*c, abs(c), conjg(c), exp(c), sqrt(c), log(c), c**3
  print '(*(f0.4, 1x))', d/(1d0, 1d0), sin(d), c**c, d**(2d0, 1d0), aimag(d), cmplx(1, 2, 8)
  print '(*(f0.8, 1x))', gamma(5d0), erf(0.5d0), bessel_j0(1d0), hypot(3d0, 4d0), atan2(1d0, -1d0), log_gamma(10d0), &
    bessel_jn(2, 1d0)
  print *, epsilon(1d0), precision(1.0), range(1d0), digits(1_int64), exponent(8.0), fraction(3.0), nearest(1.0, 1.0) > 1, &
    scale(1.0, 3), set_exponent(1.0, 4), spacing(1d0)
  print *, ieee_is_nan(ieee_value(1.0, ieee_quiet_nan)), ieee_is_finite(1.0), ieee_class(-1d0) == ieee_negative_normal
  print *, transfer(1.0, 1), transfer([1, 2], [1_int64]), storage_size(c), bit_size(1_int16)
  call random_seed(size=n)
  seed = 5
  call random_seed(put=seed(1:n))
  call random_number(v)
  print *, all(v >= 0 .and. v < 1), n > 0
  call cpu_time(before)
  busy = 0
  do i = 1, 2000000
    busy = busy + sqrt(real(i, 8))
  end do
  call cpu_time(after)
  print *, before >= 0, after >= before, busy > 0
  call system_clock(ticks, rate)
  call date_and_time(values=values)
  print *, ticks > 0, rate > 0, values(1) > 2000
  print *, command_argument_count(), compiler_version() /= '', real_kinds(1) > 0
  position = maxloc(a)
  print *, position
  do concurrent (i=1:4, mask(i))
    m(1, i) = -i
  end do
  print *, m(1, :)
  associate (row => m(2, :))
    row = row*2
  end associate
  print *, m(2, :), rank(m), is_contiguous(m(1, :))
contains
  pure integer function plus(x, y)
    integer, intent(in) :: x, y
    plus = x + y
  end function
  integer function mvbits_of(n)
    integer, intent(in) :: n
    mvbits_of = 0
    call mvbits(n, 0, 2, mvbits_of, 4)
  end function
end program
