! Fourier transforms by the interface of FFTW 3 (see fftw3.f03).
module fftw3
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3.f03'
end module
