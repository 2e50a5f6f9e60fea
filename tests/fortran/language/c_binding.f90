! ISO_C_BINDING against C: structures with pointers in them, by value and by reference, strings, callbacks, kinds, enums,
! descriptors, and complex numbers.
! ranks: 1
! reference: flang
! with: c_binding.c
module c_side
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: mixed
    integer(c_int) :: before
    type(c_ptr) :: address
    real(c_double) :: number
    type(c_funptr) :: function
    integer(c_signed_char) :: after
  end type
  type, bind(C) :: single
    integer(c_int) :: value
  end type
  type, bind(C) :: pair
    real(c_double) :: x
    integer(c_int) :: n
  end type
  enum, bind(C)
    enumerator :: red = 1, green = 5, blue
  end enum
  interface
    integer(c_int) function c_check(m) bind(C)
      import
      type(mixed), intent(in) :: m
    end function
    integer(c_int) function c_single(s) bind(C)
      import
      type(single), value :: s
    end function
    type(single) function c_make_single(n) bind(C)
      import
      integer(c_int), value :: n
    end function
    type(pair) function c_swap(p, factor) bind(C)
      import
      type(pair), value :: p
      real(c_double), value :: factor
    end function
    complex(c_double_complex) function c_square(z) bind(C)
      import
      complex(c_double_complex), value :: z
    end function
    complex(c_float_complex) function c_conjugate(z) bind(C)
      import
      complex(c_float_complex), value :: z
    end function
    subroutine c_each(values, n, f) bind(C)
      import
      integer(c_int), intent(in) :: values(*)
      integer(c_size_t), value :: n
      type(c_funptr), value :: f
    end subroutine
    integer(c_long) function c_sum_section(a) bind(C)
      import
      integer(c_int), intent(in) :: a(:, :)
    end function
    function c_text() bind(C) result(p)
      import
      type(c_ptr) :: p
    end function
    integer(c_size_t) function strlen(s) bind(C)
      import
      character(kind=c_char), intent(in) :: s(*)
    end function
    subroutine c_sizes(sizes) bind(C)
      import
      integer(c_int), intent(out) :: sizes(6)
    end subroutine
  end interface
  integer(c_int), bind(C, name="c_counter") :: counter
contains
  subroutine show(n) bind(C)
    integer(c_int), value :: n
    print *, 'called back with', n
  end subroutine
  integer(c_int) function twice(n) bind(C, name="f_twice")
    integer(c_int), value :: n
    twice = 2*n
  end function
  subroutine shaped(address, extents, many)
    type(c_ptr), intent(in) :: address
    integer(c_int), intent(in) :: extents(:)
    integer(c_size_t), intent(in) :: many(:)
    integer(c_int), pointer :: a(:, :), b(:, :)
    call c_f_pointer(address, a, extents)
    call c_f_pointer(address, b, many)
    print *, 'shaped', shape(a), a(2, 3), shape(b), b(1, 2)
  end subroutine
end module

program c_binding
  use c_side
  implicit none
  integer, target :: cell = 99
  integer, pointer :: back
  integer(c_int), target :: matrix(4, 5)
  integer(c_int) :: i, sizes(6), extents(4)
  character(kind=c_char), pointer :: letters(:)
  type(mixed) :: m
  type(mixed), target, save :: static = mixed(1, c_null_ptr, 2.5d0, c_null_funptr, 3_c_signed_char)
  type(pair) :: p
  type(single) :: s
  m = mixed(-1, c_loc(cell), 0.25d0, c_funloc(twice), 17_c_signed_char)
  print *, 'structure', c_check(m), cell
  call c_f_pointer(m%address, back)
  print *, 'pointer', back, associated(back, cell), c_associated(m%address), c_associated(static%address)
  s = c_make_single(31)
  print *, 'single', c_single(single(11)), s%value
  p = c_swap(pair(2.0d0, 7), 10.0d0)
  print *, 'pair', p%x, p%n
  print *, 'complex', c_square((1d0, 2d0)), c_conjugate((3.0, 4.0))
  call c_each([1, 2, 3], 3_c_size_t, c_funloc(show))
  matrix = reshape([(i, i=1, 20)], [4, 5])
  print *, 'sections', c_sum_section(matrix), c_sum_section(matrix(2:4:2, ::2))
  extents = [2, 4, 5, 2]
  call shaped(c_loc(matrix), extents(1:3:2), int(extents(3:4), c_size_t))
  call c_f_pointer(c_text(), letters, [5])
  print *, 'text ', letters, strlen("abc"//c_null_char)
  call c_sizes(sizes)
  print *, 'sizes', sizes(1) == storage_size(1_c_long)/8, sizes(2) == storage_size(1_c_size_t)/8, &
    sizes(3) == storage_size(c_null_ptr)/8, sizes(4) == c_sizeof(m), sizes(5) == c_sizeof(p), &
    sizes(6) == storage_size(1_c_long_long)/8
  counter = counter + 5
  print *, 'variable', counter, red, green, blue
end program
