! Fourier transforms by the module fftw3 and by fftw3.f03: an array whose first index is the nearest, real rows and back, many at once, single precision.
! ranks: 1 2
! with: ../check.f90
module included
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3.f03'
end module

program fourier
  use mpi
  use checks
  use fftw3
  use included, only: fftwf_plan_dft_1d, fftwf_execute_dft, fftwf_destroy_plan
  implicit none
  integer, parameter :: n0 = 6, n1 = 10, many = 3
  complex(c_double_complex) :: in(n0, n1), out(n0, n1)
  complex(c_double_complex), pointer :: spectra(:, :)
  complex(c_float_complex) :: single(n1), transformed(n1)
  real(c_double) :: rows(n1, many), back(n1, many)
  type(c_ptr) :: plan, memory
  type(fftw_iodim) :: line(1), lines(1)
  real(c_double), parameter :: tau = 8 * atan(1d0)
  integer :: i, j, ierror
  call MPI_Init(ierror)

  ! A wave has all of its spectrum in one place.
  do j = 1, n1
    in(:, j) = [(exp(cmplx(0d0, tau * (2d0 * (i - 1) / n0 + 3d0 * (j - 1) / n1), c_double_complex)), i = 1, n0)]
  end do
  plan = fftw_plan_dft_2d(n1, n0, in, out, FFTW_FORWARD, FFTW_ESTIMATE)
  call check(c_associated(plan), 'a plan')
  call fftw_execute_dft(plan, in, out)
  call fftw_destroy_plan(plan)
  call check(abs(out(3, 4) - n0 * n1) < 1d-10, 'the wave')
  out(3, 4) = 0
  call check(all(abs(out) < 1d-10), 'nothing else')

  memory = fftw_alloc_complex(int((n1 / 2 + 1) * many, c_size_t))
  call c_f_pointer(memory, spectra, [n1 / 2 + 1, many])
  do j = 1, many
    rows(:, j) = [(cos(tau * j * (i - 1) / n1) + j, i = 1, n1)]
  end do
  plan = fftw_plan_many_dft_r2c(1, [n1], many, rows, [n1], 1, n1, spectra, [n1 / 2 + 1], 1, n1 / 2 + 1, FFTW_ESTIMATE)
  call fftw_execute_dft_r2c(plan, rows, spectra)
  call fftw_destroy_plan(plan)
  do j = 1, many
    call check(abs(spectra(1, j) - j * n1) < 1d-10, 'the mean')
    call check(abs(spectra(j + 1, j) - n1 / 2d0) < 1d-10, 'the cosine')
  end do
  line = fftw_iodim(n1, 1, 1)
  lines = fftw_iodim(many, n1 / 2 + 1, n1)
  plan = fftw_plan_guru_dft_c2r(1, line, 1, lines, spectra, back, FFTW_ESTIMATE)
  call fftw_execute_dft_c2r(plan, spectra, back)
  call fftw_destroy_plan(plan)
  call check(all(abs(back / n1 - rows) < 1d-12), 'the way back')
  call fftw_free(memory)

  single = 0
  single(2) = 1
  plan = fftwf_plan_dft_1d(n1, single, transformed, FFTW_BACKWARD, FFTW_ESTIMATE)
  call fftwf_execute_dft(plan, single, transformed)
  call fftwf_destroy_plan(plan)
  call check(all(abs(transformed - [(exp(cmplx(0., tau * (i - 1) / n1)), i = 1, n1)]) < 1e-5), 'single precision')
  call finish
end program
