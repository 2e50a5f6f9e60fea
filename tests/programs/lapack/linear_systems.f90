! Products and systems of equations by BLAS and LAPACK, as Fortran calls them: each rank solves one of its own.
program linear_systems
  use mpi
  use checks
  implicit none
  integer, parameter :: n = 120
  real(8) :: a(n, n), factors(n, n), x(n), b(n), product(n, n)
  complex(8) :: z(n, n), zfactors(n, n), zx(n), zb(n)
  integer :: pivots(n), info, rank, ierror, i
  external :: dgemm, dsyrk, dgesv, dposv, zgesv
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call random_number(a)
  call random_number(b)
  a = a + rank

  call dgemm('T', 'N', n, n, n, 1d0, a, n, a, n, 0d0, product, n)
  call check(maxval(abs(product - matmul(transpose(a), a))) < 1d-9*maxval(abs(product)), 'dgemm')

  factors = a
  x = b
  call dgesv(n, 1, factors, n, pivots, x, n, info)
  call check(info == 0 .and. maxval(abs(matmul(a, x) - b)) < 1d-8, 'dgesv')

  call dsyrk('L', 'N', n, n, 1d0, a, n, 0d0, product, n)
  do i = 1, n
    product(i, i) = product(i, i) + n
    product(i, i + 1:) = product(i + 1:, i)
  end do
  factors = product
  x = b
  call dposv('L', n, 1, factors, n, x, n, info)
  call check(info == 0 .and. maxval(abs(matmul(product, x) - b)) < 1d-8, 'dposv')

  z = cmplx(a, transpose(a), 8)
  zb = cmplx(b, -b, 8)
  zfactors = z
  zx = zb
  call zgesv(n, 1, zfactors, n, pivots, zx, n, info)
  call check(info == 0 .and. maxval(abs(matmul(z, zx) - zb)) < 1d-8, 'zgesv')

  a(:, 7) = 0
  call dgesv(n, 1, a, n, pivots, b, n, info)
  call check(info == 7, 'a singular matrix')
  call finish
end program
