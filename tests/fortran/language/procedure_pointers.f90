! Procedure pointers as components: anywhere in a type, in arrays of it, with initial values, copied and inherited.
! ranks: 1
! reference: flang
module actions
  implicit none
  abstract interface
    integer function change(n)
      integer, intent(in) :: n
    end function
  end interface
  type entry
    character(1) :: letter = 'e'
    procedure(change), pointer, nopass :: first => null()
    integer :: between = 7
    procedure(change), pointer, nopass :: second => twice
    real(8), allocatable :: values(:)
    procedure(method), pointer :: act => show
    integer, pointer :: target => null()
    character(len=:), allocatable :: name
  end type
  type, extends(entry) :: longer
    integer :: extra = 11
    procedure(change), pointer, nopass :: third => thrice
    integer :: last = 12
  end type
  type outer
    integer :: tag = 3
    type(entry) :: inner
    integer :: behind = 4
  end type
  type pair
    procedure(change), pointer, nopass :: one, other
  end type
contains
  integer function twice(n)
    integer, intent(in) :: n
    twice = 2*n
  end function
  integer function thrice(n)
    integer, intent(in) :: n
    thrice = 3*n
  end function
  subroutine method(self, what)
    class(entry), intent(in) :: self
    character(*), intent(in) :: what
    print '(3a,i0)', what, ': method ', self%letter, self%between
  end subroutine
  subroutine show(self, what)
    class(entry), intent(in) :: self
    character(*), intent(in) :: what
    print '(3a,i0,2(1x,l1),1x,i0)', what, ': ', self%letter, self%between, associated(self%first), &
      allocated(self%values), self%second(21)
    if (allocated(self%values)) print '(8f6.1)', self%values
    if (allocated(self%name)) print '(2a)', 'name ', self%name
    if (associated(self%target)) print '(a,i0)', 'target ', self%target
  end subroutine
  subroutine fill(one, n)
    class(entry), intent(inout) :: one
    integer, intent(in) :: n
    integer :: i
    one%letter = achar(iachar('a') + n)
    one%between = n
    if (mod(n, 2) == 0) one%first => thrice
    if (mod(n, 3) == 0) one%second => thrice
    one%values = [(real(n*i, 8), i=1, n)]
    one%name = repeat('x', n)
  end subroutine
  integer function applied(what, n)
    type(pair), intent(in) :: what
    integer, intent(in) :: n
    applied = what%one(what%other(n))
  end function
end module

program procedure_pointers
  use actions
  implicit none
  type(entry) :: single, row(4)
  type(entry), allocatable :: copy(:), grown(:)
  type(longer) :: long
  type(outer) :: whole, wholes(2)
  type(outer), save :: saved
  class(entry), allocatable :: any, again
  class(entry), pointer :: array(:)
  integer, target :: aim = 99
  integer :: i

  call single%act('initial')
  do i = 1, 4
    call fill(row(i), i)
  end do
  row(2)%target => aim
  copy = row
  row(2)%name = 'changed'
  deallocate (row(3)%values)
  do i = 1, 4
    call copy(i)%act('copy')
    if (associated(copy(i)%first)) print '(a,i0)', 'first ', copy(i)%first(5)
  end do
  grown = [copy(4:2:-1), single]
  call grown(2)%act('grown')
  call grown(4)%act('grown')

  call fill(long, 6)
  any = long
  call any%act('any')
  select type (any)
  type is (longer)
    print '(3(i0,1x))', any%extra, any%third(5), any%last
  end select
  allocate (again, source=any)
  call again%act('again')
  allocate (longer :: array(3))
  call array(3)%act('array')
  select type (array)
  type is (longer)
    print '(6(i0,1x))', (array(i)%third(i), array(i)%last, i=1, 3)
  end select
  array(1)%act => method
  call array(1)%act('array')
  call array(2)%act('array')
  deallocate (array, any)

  call fill(whole%inner, 3)
  wholes = whole
  print '(4(i0,1x))', wholes(2)%tag, wholes(2)%behind, saved%tag, saved%behind
  call wholes(2)%inner%act('nested')
  call saved%inner%act('saved')
  call reset(wholes)
  print '(2(i0,1x))', wholes(1)%tag, wholes(1)%behind
  print '(2(i0,1x))', applied(pair(twice, thrice), 5), applied(pair(other=thrice, one=thrice), 2)
contains
  subroutine reset(what)
    type(outer), intent(out) :: what(:)
    call what(1)%inner%act('reset')
    call what(2)%inner%act('reset')
  end subroutine
end program
