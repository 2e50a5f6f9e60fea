! Nests of loops over the cells of a grid in allocatable arrays, with a vector at each point: what LLVM widens indices for.
! ranks: 1
! cc: -O3
! reference: flang
module grid
  implicit none
  integer, parameter :: n = 6, cells = 3
  real(8), allocatable :: u(:, :, :, :, :), change(:, :, :, :, :)
  integer, allocatable :: first(:, :), last(:, :), extent(:, :)
contains
  subroutine update(count)
    integer, intent(in) :: count
    integer :: c, i, j, k
    do c = 1, count
      do k = first(3, c), extent(3, c) - last(3, c) - 1
        do j = first(2, c), extent(2, c) - last(2, c) - 1
          do i = 3*first(1, c), extent(1, c) - 3*last(1, c) - 1
            change(1:5, i, j, k, c) = change(1:5, i, j, k, c) - u(1:5, i - 2, j, k, c) + 4*u(1:5, i + 1, j, k, c)
          end do
        end do
      end do
    end do
  end subroutine
end module

program loops
  use grid
  implicit none
  integer :: c, j, m
  allocate (u(5, -2:n, -2:n, -2:n, cells), change(5, -2:n, -2:n, -2:n, cells))
  allocate (first(3, cells), last(3, cells), extent(3, cells))
  u = reshape([(mod(7*m, 13)*1d0, m = 1, size(u))], shape(u))
  change = 1
  extent = n
  first = reshape([1, 0, 0, 0, 1, 1, 0, 1, 0], [3, cells])
  last = reshape([0, 1, 1, 1, 0, 0, 1, 0, 1], [3, cells])
  call update(cells)
  do c = 1, cells
    print '(3i8)', c, int(sum(change(:, :, :, :, c))), int(sum(change(2, 1:2, :, :, c)))
  end do
  print '(10i5)', ((int(change(m, 3, j, 2, 1)), m = 1, 5), j = -2, n)
end program
