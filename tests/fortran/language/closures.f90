! Internal procedures as arguments: recursion through their hosts, many at once, in loops, as procedure pointers.
! ranks: 1
! reference: flang
module callers
  implicit none
  abstract interface
    integer function thunk()
    end function
    real(8) function of_real(x)
      real(8), intent(in) :: x
    end function
  end interface
contains
  integer function call_it(f)
    procedure(thunk) :: f
    call_it = f()
  end function

  real(8) function integral(f, a, b)
    procedure(of_real) :: f
    real(8), intent(in) :: a, b
    integer :: i
    integral = 0
    do i = 0, 99
      integral = integral + f(a + (b - a)*(i + 0.5d0)/100)
    end do
    integral = integral*(b - a)/100
  end function

  ! Knuth's test: which frame does each closure belong to?
  recursive integer function a(k, x1, x2, x3, x4, x5) result(r)
    integer, value :: k
    procedure(thunk) :: x1, x2, x3, x4, x5
    if (k <= 0) then
      r = x4() + x5()
    else
      r = b()
    end if
  contains
    recursive integer function b() result(rb)
      k = k - 1
      rb = a(k, b, x1, x2, x3, x4)
    end function
  end function

  recursive integer function deep(n) result(r)
    integer, intent(in) :: n
    if (n == 0) then
      r = 0
    else
      r = call_it(here)
    end if
  contains
    recursive integer function here() result(rh)
      rh = n + deep(n - 1)
    end function
  end function
  subroutine with_pointer
    procedure(thunk), pointer :: p
    integer :: hidden
    hidden = 42
    p => reveal
    print *, 'pointer', p()
    hidden = 43
    print *, 'pointer', call_it(p)
  contains
    integer function reveal()
      reveal = hidden
    end function
  end subroutine

  integer function one()
    one = 1
  end function
  integer function minus_one()
    minus_one = -1
  end function
  integer function zero()
    zero = 0
  end function
end module

program closures
  use callers
  implicit none
  integer :: i, total
  real(8) :: power
  do i = 0, 6
    print *, 'man or boy', i, a(i, one, minus_one, minus_one, one, zero)
  end do
  total = 0
  do i = 1, 1000
    call repeated(add)
  end do
  print *, 'in a loop', total
  do i = 1, 3
    power = i
    print '(a,f10.6)', 'integral', integral(monomial, 0d0, 1d0)
  end do
  print *, 'deep', deep(40)
  call with_pointer
contains
  subroutine add(n)
    integer, intent(in) :: n
    total = total + n
  end subroutine
  subroutine repeated(f)
    interface
      subroutine f(n)
        integer, intent(in) :: n
      end subroutine
    end interface
    call f(i)
  end subroutine
  real(8) function monomial(x)
    real(8), intent(in) :: x
    monomial = x**power
  end function
end program
