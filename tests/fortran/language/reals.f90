! Real numbers as text: what is read is the number nearest to it, as C reads it, and what is written in full is read back; the kinds
! that are chosen for a precision and a range.
! ranks: 1
! with: ../check.f90
program reals
  use mpi
  use checks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  implicit none
  interface
    function strtod(text, end) bind(c)
      import
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), value :: end
      real(c_double) :: strtod
    end function
    function strtof(text, end) bind(c)
      import
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), value :: end
      real(c_float) :: strtof
    end function
  end interface
  integer, parameter :: dp = kind(1d0), sp = kind(1e0)
  integer(8) :: bits = 88172645463325252_8
  integer :: i, error

  call MPI_Init(error)
  do i = 1, 3000
    call back(transfer(next(), 1._dp))
    call back(real(modulo(next(), 2000000_8), dp) / 1000)
    call back(real(modulo(next(), 100000_8), dp) * 0.1_dp)
    call digits()
  end do
  call forms()
  call refused()
  call kinds()
  call finish()

contains

  integer(8) function next()
    bits = ieor(bits, shiftl(bits, 13))
    bits = ieor(bits, shiftr(bits, 7))
    bits = ieor(bits, shiftl(bits, 17))
    next = bits
  end function

  logical function same(a, b)
    real(dp), intent(in) :: a, b
    same = transfer(a, 1_8) == transfer(b, 1_8)
  end function

  ! Written with all digits and with more, in all ways, a number is read as itself.
  subroutine back(x)
    real(dp), intent(in) :: x
    real(dp) :: y
    real(sp) :: s, t
    character(60) :: text
    if (.not. ieee_is_finite(x)) return
    write(text, '(es24.16e3)') x
    read(text, '(e24.16)') y
    call check(same(x, y), 'all digits: '//text)
    read(text, *) y
    call check(same(x, y), 'all digits, of a list: '//text)
    write(text, '(es50.40e3)') x
    read(text, *) y
    call check(same(x, y), 'more digits: '//text)
    write(text, *) x
    read(text, *) y
    call check(same(x, y), 'a list: '//text)
    if (abs(x) > huge(s) .or. abs(x) < tiny(s)) return
    s = real(x, sp)
    write(text, '(es20.8)') s
    read(text, *) t
    call check(s == t, 'single: '//text)
    write(text, '(es24.16)') x
    read(text, *) t
    call check(t == strtof(trim(text)//c_null_char, c_null_ptr), 'rounded once: '//text)
  end subroutine

  ! Up to 25 digits and an exponent, as they come.
  subroutine digits()
    character(60) :: text
    character(1), parameter :: letters(6) = ['e', 'E', 'd', 'D', 'q', 'Q']
    integer :: count, at, power
    real(dp) :: x, y
    count = 1 + int(modulo(next(), 25_8))
    text = ''
    do at = 1, count
      text(at:at) = achar(48 + int(modulo(next(), 10_8)))
    end do
    at = 1 + int(modulo(next(), int(count, 8)))
    text = text(:at)//'.'//text(at + 1:)
    power = int(modulo(next(), 560_8)) - 280
    write(text(count + 2:), '(a,i0)') 'e', power
    y = strtod(trim(text)//c_null_char, c_null_ptr)
    text(count + 2:count + 2) = letters(1 + int(modulo(next(), 6_8)))
    read(text, *) x
    call check(same(x, y), 'digits: '//text)
    read(text, '(f40.0)') x
    call check(same(x, y), 'digits of a format: '//text)
  end subroutine

  subroutine forms()
    real(dp) :: x(3)
    character(120) :: text
    text = '  12345678'
    read(text, '(f10.3)') x(1)
    call check(x(1) == 12345.678_dp, 'a point is implied')
    text = '1 2 3'
    read(text, '(bz,f5.0)') x(1)
    call check(x(1) == 10203, 'blanks are zeros')
    text = '1,5;2'
    read(text, *, decimal='comma') x(:2)
    call check(all(x(:2) == [1.5_dp, 2._dp]), 'a decimal comma')
    text = '150.'
    read(text, '(2pf4.0)') x(1)
    call check(x(1) == 1.5_dp, 'a scale')
    text = '2*-0.0, 1.5+3'
    read(text, *) x
    call check(all(x == [0._dp, 0._dp, 1500._dp]) .and. same(x(1), -0._dp), 'repeated, and an exponent without its letter')
    text = '-inf NaN +Infinity'
    read(text, *) x
    call check(x(1) < -huge(x) .and. ieee_is_nan(x(2)) .and. x(3) > huge(x), 'what is no number of digits')
    text = '4.9e-324 2.4e-324 1.7976931348623157e308'
    read(text, *) x
    call check(transfer(x(1), 1_8) == 1 .and. x(2) == 0 .and. x(3) == huge(x), 'the smallest and the largest')
    text = '9007199254740993 9007199254740992.9999999999999999999 9007199254740993.00000000000000000000000001'
    read(text, *) x
    call check(all(x - 9007199254740992._dp == [0, 0, 2]), 'halves')
  end subroutine

  subroutine refused()
    real(dp) :: x
    integer :: status
    character(8) :: text
    character(8), parameter :: wrong(4) = ['1.5e+   ', '1e5.5   ', 'one     ', '1..5    ']
    do i = 1, size(wrong)
      read(wrong(i), *, iostat=status) x
      call check(status /= 0, 'refused: '//wrong(i))
    end do
    text = '1e400'
    read(text, *, iostat=status) x
    call check(status /= 0, 'too large')
  end subroutine

  subroutine kinds()
    integer, parameter :: wide = selected_real_kind(r=30)
    real(wide) :: x
    integer :: p, r
    character(8) :: text
    text = '2 30'
    read(text, *) p, r
    x = 1.5_wide
    call check(wide == 4 .and. x + x == 3, 'a range alone')
    call check(selected_real_kind(r=r) == 4 .and. selected_real_kind(p, r) == 4, 'as the program runs')
    call check(selected_real_kind(6) == 4 .and. selected_real_kind(15, 300) == 8 .and. selected_real_kind(r=100) == 8, 'others')
    call check(ieee_selected_real_kind(r=37) == 4, 'of IEEE')
  end subroutine
end program
