! Modules, submodules, type extension, finalisers, defined output, allocatable and polymorphic values.
! ranks: 1
! reference: flang
module shapes
  implicit none
  type, abstract :: shape
    character(len=:), allocatable :: name
  contains
    procedure(area_of), deferred :: area
    procedure :: describe
    generic :: write(formatted) => write_shape
    procedure :: write_shape
  end type
  abstract interface
    real(8) function area_of(self)
      import
      class(shape), intent(in) :: self
    end function
  end interface
  type, extends(shape) :: square
    real(8) :: side = 1
  contains
    procedure :: area => square_area
    final :: square_gone
  end type
  type, extends(square) :: box
    real(8) :: height = 2
  contains
    procedure :: area => box_area
  end type
  interface operator(+)
    module procedure join
  end interface
  interface
    module subroutine elsewhere(n)
      integer, intent(in) :: n
    end subroutine
  end interface
contains
  real(8) function square_area(self)
    class(square), intent(in) :: self
    square_area = self%side**2
  end function
  real(8) function box_area(self)
    class(box), intent(in) :: self
    box_area = self%square%area()*self%height
  end function
  subroutine describe(self)
    class(shape), intent(in) :: self
    select type (self)
    type is (square)
      print '(3a,f6.2)', 'square ', self%name, ' ', self%area()
    class is (square)
      print '(3a,f6.2)', 'like a square ', self%name, ' ', self%area()
    end select
  end subroutine
  subroutine write_shape(self, unit, iotype, v_list, iostat, iomsg)
    class(shape), intent(in) :: self
    integer, intent(in) :: unit, v_list(:)
    character(*), intent(in) :: iotype
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(a,a,a,i0)', iostat=iostat, iomsg=iomsg) '<', self%name, '>', size(v_list)
  end subroutine
  impure elemental subroutine square_gone(self)
    type(square), intent(inout) :: self
    if (allocated(self%name)) print '(2a)', 'gone ', self%name
  end subroutine
  function join(a, b) result(c)
    class(square), intent(in) :: a, b
    type(square) :: c
    c%name = a%name//b%name
    c%side = a%side + b%side
  end function
end module

submodule (shapes) details
contains
  module procedure elsewhere
    print *, 'from the submodule', n
  end procedure
end submodule

program objects
  use shapes
  implicit none
  class(shape), allocatable :: s
  class(*), allocatable :: any
  type(square), allocatable :: list(:)
  type(square) :: a, b
  call scope
  allocate (s, source=box(name='crate', side=3d0, height=0.5d0))
  call s%describe
  print '(dt)', s
  print *, extends_type_of(s, a), same_type_as(a, b)
  allocate (any, source=2.5d0)
  select type (any)
  type is (real(8))
    print *, 'real', any
  class default
    print *, 'other'
  end select
  allocate (list(2))
  list(1)%name = 'x'
  list(2)%name = 'y'
  list = [list, square(name='z', side=4d0)]
  print *, size(list), list(3)%area()
  deallocate (list)
  call elsewhere(3)
contains
  subroutine scope
    type(square) :: p, q
    p%name = 'p'
    q%name = 'q'
    q%side = 2
    block
      type(square) :: r
      r = p + q
      call r%describe
    end block
  end subroutine
end program
