! Ways to pass arguments: optional, assumed size, shape and rank, sections, CHARACTER of any length, keywords, results of
! every kind, alternate returns, ENTRY, statement functions, recursion, elemental procedures.
! ranks: 1
! reference: flang
module procedures
  implicit none
contains
  subroutine sized(a, n)
    integer, intent(in) :: n
    integer, intent(inout) :: a(*)
    a(1:n) = a(1:n)*10
    call again(a)
  contains
    subroutine again(b)
      integer, intent(inout) :: b(*)
      b(2) = b(2) + 1
      call ranked(b)
    end subroutine
  end subroutine
  subroutine ranked(a)
    integer, intent(in) :: a(..)
    select rank (a)
    rank (0)
      print *, 'scalar', a
    rank (1)
      print *, 'vector', a
    rank (*)
      print *, 'assumed size', a(1:2)
    rank default
      print *, 'rank', rank(a), shape(a)
    end select
  end subroutine
  subroutine shaped(a, label)
    real, intent(in) :: a(:, 0:)
    character(*), intent(in), optional :: label
    print *, shape(a), lbound(a), ubound(a), sum(a)
    if (present(label)) print *, label, len(label)
  end subroutine
  subroutine contiguous_one(a)
    real, intent(inout), contiguous :: a(:)
    a = a + 1
  end subroutine
  function stars(n) result(text)
    integer, intent(in) :: n
    character(len=n) :: text
    text = repeat('*', n)
  end function
  function allocated_text(words) result(text)
    character(*), intent(in) :: words(:)
    character(:), allocatable :: text
    integer :: i
    text = ''
    do i = 1, size(words)
      text = text//trim(words(i))
    end do
  end function
  function squares(n)
    integer, intent(in) :: n
    integer :: squares(n), i
    squares = [(i*i, i=1, n)]
  end function
  complex function rotated(z)
    complex, intent(in) :: z
    rotated = z*(0, 1)
  end function
  elemental real function halved(x)
    real, intent(in) :: x
    halved = x/2
  end function
  recursive integer function factorial(n) result(f)
    integer, value :: n
    f = 1
    if (n > 1) f = n*factorial(n - 1)
  end function
  subroutine branches(n, *, *)
    integer, intent(in) :: n
    if (n == 1) return 1
    if (n == 2) return 2
  end subroutine
  subroutine untyped(a, bytes)
    type(*), intent(in) :: a(..)
    integer, intent(out) :: bytes
    bytes = size(shape(a))
  end subroutine
  subroutine automatic(n)
    integer, intent(in) :: n
    real(8) :: work(n, n)
    character(len=n) :: name
    work = n
    name = 'automatic'
    print *, sum(work), name
  end subroutine
end module

program arguments
  use procedures
  implicit none
  integer :: a(4), n, i
  real :: r(4, 6), f
  character(len=3) :: words(2)
  f(n) = 2.0*n + 1
  a = [1, 2, 3, 4]
  call sized(a, 4)
  print *, a
  call sized(a(::2), 2)
  print *, a
  call ranked(5)
  call ranked(a)
  call ranked(reshape(a, [2, 2]))
  r = reshape([(real(i), i=1, 24)], [4, 6])
  call shaped(r)
  call shaped(r(::2, 2:5:3), label='a label')
  call contiguous_one(r(2, :))
  print *, r(2, :)
  print *, stars(5), squares(4), rotated((1.0, 2.0)), halved([1.0, 2.0]), factorial(10), f(3)
  words = ['ab ', 'cde']
  print *, allocated_text(words), allocated_text(words(2:1:-1))
  do i = 0, 2
    call branches(i, *10, *20)
    print *, 'went on'
    cycle
10  print *, 'first'
    cycle
20  print *, 'second'
  end do
  call untyped(r, n)
  print *, n
  call automatic(9)
  call entered(1)
  call entered_below(2)
end program

subroutine entered(i)
  integer :: i, j
  print *, 'entered', i
  return
  entry entered_below(j)
  print *, 'entered below', j
end subroutine
