! Fourier transforms by the interface of FFTW 3, to be included behind `use, intrinsic :: iso_c_binding`; or `use fftw3`.
! What there is, and what is missing, says fftw3.h. Dimensions are given in the order of C: the last index of a Fortran array first.

integer(c_int), parameter :: FFTW_FORWARD = -1
integer(c_int), parameter :: FFTW_BACKWARD = +1
integer(c_int), parameter :: FFTW_MEASURE = 0
integer(c_int), parameter :: FFTW_DESTROY_INPUT = 1
integer(c_int), parameter :: FFTW_UNALIGNED = 2
integer(c_int), parameter :: FFTW_CONSERVE_MEMORY = 4
integer(c_int), parameter :: FFTW_EXHAUSTIVE = 8
integer(c_int), parameter :: FFTW_PRESERVE_INPUT = 16
integer(c_int), parameter :: FFTW_PATIENT = 32
integer(c_int), parameter :: FFTW_ESTIMATE = 64
integer(c_int), parameter :: FFTW_WISDOM_ONLY = 2097152

type, bind(c) :: fftw_iodim
  integer(c_int) n, is, os
end type

type, bind(c) :: fftwf_iodim
  integer(c_int) n, is, os
end type

interface
  type(c_ptr) function fftw_plan_dft(rank, n, in, out, sign, flags) bind(c, name='fftw_plan_dft')
    import :: c_ptr, c_int, c_double_complex
    integer(c_int), value :: rank, sign, flags
    integer(c_int), dimension(*), intent(in) :: n
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftw_plan_dft_1d(n, in, out, sign, flags) bind(c, name='fftw_plan_dft_1d')
    import :: c_ptr, c_int, c_double_complex
    integer(c_int), value :: n, sign, flags
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftw_plan_dft_2d(n0, n1, in, out, sign, flags) bind(c, name='fftw_plan_dft_2d')
    import :: c_ptr, c_int, c_double_complex
    integer(c_int), value :: n0, n1, sign, flags
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftw_plan_dft_3d(n0, n1, n2, in, out, sign, flags) bind(c, name='fftw_plan_dft_3d')
    import :: c_ptr, c_int, c_double_complex
    integer(c_int), value :: n0, n1, n2, sign, flags
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftw_plan_many_dft &
    (rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, sign, flags) &
    bind(c, name='fftw_plan_many_dft')
    import :: c_ptr, c_int, c_double_complex
    integer(c_int), value :: rank, howmany, istride, idist, ostride, odist, sign, flags
    integer(c_int), dimension(*), intent(in) :: n, inembed, onembed
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftw_plan_guru_dft &
    (rank, dims, howmany_rank, howmany_dims, in, out, sign, flags) &
    bind(c, name='fftw_plan_guru_dft')
    import :: c_ptr, c_int, fftw_iodim, c_double_complex
    integer(c_int), value :: rank, howmany_rank, sign, flags
    type(fftw_iodim), dimension(*), intent(in) :: dims, howmany_dims
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end function
  subroutine fftw_execute_dft(plan, in, out) bind(c, name='fftw_execute_dft')
    import :: c_ptr, c_double_complex
    type(c_ptr), value :: plan
    complex(c_double_complex), dimension(*), intent(inout) :: in, out
  end subroutine
  type(c_ptr) function fftw_plan_dft_r2c(rank, n, in, out, flags) bind(c, name='fftw_plan_dft_r2c')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: rank, flags
    integer(c_int), dimension(*), intent(in) :: n
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_dft_r2c_1d(n, in, out, flags) bind(c, name='fftw_plan_dft_r2c_1d')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: n, flags
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_dft_r2c_2d(n0, n1, in, out, flags) bind(c, name='fftw_plan_dft_r2c_2d')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: n0, n1, flags
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_dft_r2c_3d(n0, n1, n2, in, out, flags) bind(c, name='fftw_plan_dft_r2c_3d')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: n0, n1, n2, flags
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_many_dft_r2c &
    (rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, flags) &
    bind(c, name='fftw_plan_many_dft_r2c')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: rank, howmany, istride, idist, ostride, odist, flags
    integer(c_int), dimension(*), intent(in) :: n, inembed, onembed
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_guru_dft_r2c &
    (rank, dims, howmany_rank, howmany_dims, in, out, flags) &
    bind(c, name='fftw_plan_guru_dft_r2c')
    import :: c_ptr, c_int, fftw_iodim, c_double_complex, c_double
    integer(c_int), value :: rank, howmany_rank, flags
    type(fftw_iodim), dimension(*), intent(in) :: dims, howmany_dims
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end function
  subroutine fftw_execute_dft_r2c(plan, in, out) bind(c, name='fftw_execute_dft_r2c')
    import :: c_ptr, c_double_complex, c_double
    type(c_ptr), value :: plan
    real(c_double), dimension(*), intent(inout) :: in
    complex(c_double_complex), dimension(*), intent(inout) :: out
  end subroutine
  type(c_ptr) function fftw_plan_dft_c2r(rank, n, in, out, flags) bind(c, name='fftw_plan_dft_c2r')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: rank, flags
    integer(c_int), dimension(*), intent(in) :: n
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_dft_c2r_1d(n, in, out, flags) bind(c, name='fftw_plan_dft_c2r_1d')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: n, flags
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_dft_c2r_2d(n0, n1, in, out, flags) bind(c, name='fftw_plan_dft_c2r_2d')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: n0, n1, flags
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_dft_c2r_3d(n0, n1, n2, in, out, flags) bind(c, name='fftw_plan_dft_c2r_3d')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: n0, n1, n2, flags
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_many_dft_c2r &
    (rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, flags) &
    bind(c, name='fftw_plan_many_dft_c2r')
    import :: c_ptr, c_int, c_double_complex, c_double
    integer(c_int), value :: rank, howmany, istride, idist, ostride, odist, flags
    integer(c_int), dimension(*), intent(in) :: n, inembed, onembed
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftw_plan_guru_dft_c2r &
    (rank, dims, howmany_rank, howmany_dims, in, out, flags) &
    bind(c, name='fftw_plan_guru_dft_c2r')
    import :: c_ptr, c_int, fftw_iodim, c_double_complex, c_double
    integer(c_int), value :: rank, howmany_rank, flags
    type(fftw_iodim), dimension(*), intent(in) :: dims, howmany_dims
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end function
  subroutine fftw_execute_dft_c2r(plan, in, out) bind(c, name='fftw_execute_dft_c2r')
    import :: c_ptr, c_double_complex, c_double
    type(c_ptr), value :: plan
    complex(c_double_complex), dimension(*), intent(inout) :: in
    real(c_double), dimension(*), intent(inout) :: out
  end subroutine
  subroutine fftw_execute(plan) bind(c, name='fftw_execute')
    import :: c_ptr
    type(c_ptr), value :: plan
  end subroutine
  subroutine fftw_destroy_plan(plan) bind(c, name='fftw_destroy_plan')
    import :: c_ptr
    type(c_ptr), value :: plan
  end subroutine
  subroutine fftw_cleanup() bind(c, name='fftw_cleanup')
  end subroutine
  type(c_ptr) function fftw_malloc(bytes) bind(c, name='fftw_malloc')
    import :: c_ptr, c_size_t
    integer(c_size_t), value :: bytes
  end function
  type(c_ptr) function fftw_alloc_real(n) bind(c, name='fftw_alloc_real')
    import :: c_ptr, c_size_t
    integer(c_size_t), value :: n
  end function
  type(c_ptr) function fftw_alloc_complex(n) bind(c, name='fftw_alloc_complex')
    import :: c_ptr, c_size_t
    integer(c_size_t), value :: n
  end function
  subroutine fftw_free(at) bind(c, name='fftw_free')
    import :: c_ptr
    type(c_ptr), value :: at
  end subroutine
  integer(c_int) function fftw_init_threads() bind(c, name='fftw_init_threads')
    import :: c_int
  end function
  subroutine fftw_plan_with_nthreads(threads) bind(c, name='fftw_plan_with_nthreads')
    import :: c_int
    integer(c_int), value :: threads
  end subroutine
  subroutine fftw_cleanup_threads() bind(c, name='fftw_cleanup_threads')
  end subroutine
  type(c_ptr) function fftwf_plan_dft(rank, n, in, out, sign, flags) bind(c, name='fftwf_plan_dft')
    import :: c_ptr, c_int, c_float_complex
    integer(c_int), value :: rank, sign, flags
    integer(c_int), dimension(*), intent(in) :: n
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftwf_plan_dft_1d(n, in, out, sign, flags) bind(c, name='fftwf_plan_dft_1d')
    import :: c_ptr, c_int, c_float_complex
    integer(c_int), value :: n, sign, flags
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftwf_plan_dft_2d(n0, n1, in, out, sign, flags) bind(c, name='fftwf_plan_dft_2d')
    import :: c_ptr, c_int, c_float_complex
    integer(c_int), value :: n0, n1, sign, flags
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftwf_plan_dft_3d(n0, n1, n2, in, out, sign, flags) bind(c, name='fftwf_plan_dft_3d')
    import :: c_ptr, c_int, c_float_complex
    integer(c_int), value :: n0, n1, n2, sign, flags
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftwf_plan_many_dft &
    (rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, sign, flags) &
    bind(c, name='fftwf_plan_many_dft')
    import :: c_ptr, c_int, c_float_complex
    integer(c_int), value :: rank, howmany, istride, idist, ostride, odist, sign, flags
    integer(c_int), dimension(*), intent(in) :: n, inembed, onembed
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end function
  type(c_ptr) function fftwf_plan_guru_dft &
    (rank, dims, howmany_rank, howmany_dims, in, out, sign, flags) &
    bind(c, name='fftwf_plan_guru_dft')
    import :: c_ptr, c_int, fftwf_iodim, c_float_complex
    integer(c_int), value :: rank, howmany_rank, sign, flags
    type(fftwf_iodim), dimension(*), intent(in) :: dims, howmany_dims
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end function
  subroutine fftwf_execute_dft(plan, in, out) bind(c, name='fftwf_execute_dft')
    import :: c_ptr, c_float_complex
    type(c_ptr), value :: plan
    complex(c_float_complex), dimension(*), intent(inout) :: in, out
  end subroutine
  type(c_ptr) function fftwf_plan_dft_r2c(rank, n, in, out, flags) bind(c, name='fftwf_plan_dft_r2c')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: rank, flags
    integer(c_int), dimension(*), intent(in) :: n
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_dft_r2c_1d(n, in, out, flags) bind(c, name='fftwf_plan_dft_r2c_1d')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: n, flags
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_dft_r2c_2d(n0, n1, in, out, flags) bind(c, name='fftwf_plan_dft_r2c_2d')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: n0, n1, flags
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_dft_r2c_3d(n0, n1, n2, in, out, flags) bind(c, name='fftwf_plan_dft_r2c_3d')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: n0, n1, n2, flags
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_many_dft_r2c &
    (rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, flags) &
    bind(c, name='fftwf_plan_many_dft_r2c')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: rank, howmany, istride, idist, ostride, odist, flags
    integer(c_int), dimension(*), intent(in) :: n, inembed, onembed
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_guru_dft_r2c &
    (rank, dims, howmany_rank, howmany_dims, in, out, flags) &
    bind(c, name='fftwf_plan_guru_dft_r2c')
    import :: c_ptr, c_int, fftwf_iodim, c_float_complex, c_float
    integer(c_int), value :: rank, howmany_rank, flags
    type(fftwf_iodim), dimension(*), intent(in) :: dims, howmany_dims
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end function
  subroutine fftwf_execute_dft_r2c(plan, in, out) bind(c, name='fftwf_execute_dft_r2c')
    import :: c_ptr, c_float_complex, c_float
    type(c_ptr), value :: plan
    real(c_float), dimension(*), intent(inout) :: in
    complex(c_float_complex), dimension(*), intent(inout) :: out
  end subroutine
  type(c_ptr) function fftwf_plan_dft_c2r(rank, n, in, out, flags) bind(c, name='fftwf_plan_dft_c2r')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: rank, flags
    integer(c_int), dimension(*), intent(in) :: n
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_dft_c2r_1d(n, in, out, flags) bind(c, name='fftwf_plan_dft_c2r_1d')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: n, flags
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_dft_c2r_2d(n0, n1, in, out, flags) bind(c, name='fftwf_plan_dft_c2r_2d')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: n0, n1, flags
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_dft_c2r_3d(n0, n1, n2, in, out, flags) bind(c, name='fftwf_plan_dft_c2r_3d')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: n0, n1, n2, flags
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_many_dft_c2r &
    (rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, flags) &
    bind(c, name='fftwf_plan_many_dft_c2r')
    import :: c_ptr, c_int, c_float_complex, c_float
    integer(c_int), value :: rank, howmany, istride, idist, ostride, odist, flags
    integer(c_int), dimension(*), intent(in) :: n, inembed, onembed
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end function
  type(c_ptr) function fftwf_plan_guru_dft_c2r &
    (rank, dims, howmany_rank, howmany_dims, in, out, flags) &
    bind(c, name='fftwf_plan_guru_dft_c2r')
    import :: c_ptr, c_int, fftwf_iodim, c_float_complex, c_float
    integer(c_int), value :: rank, howmany_rank, flags
    type(fftwf_iodim), dimension(*), intent(in) :: dims, howmany_dims
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end function
  subroutine fftwf_execute_dft_c2r(plan, in, out) bind(c, name='fftwf_execute_dft_c2r')
    import :: c_ptr, c_float_complex, c_float
    type(c_ptr), value :: plan
    complex(c_float_complex), dimension(*), intent(inout) :: in
    real(c_float), dimension(*), intent(inout) :: out
  end subroutine
  subroutine fftwf_execute(plan) bind(c, name='fftwf_execute')
    import :: c_ptr
    type(c_ptr), value :: plan
  end subroutine
  subroutine fftwf_destroy_plan(plan) bind(c, name='fftwf_destroy_plan')
    import :: c_ptr
    type(c_ptr), value :: plan
  end subroutine
  subroutine fftwf_cleanup() bind(c, name='fftwf_cleanup')
  end subroutine
  type(c_ptr) function fftwf_malloc(bytes) bind(c, name='fftwf_malloc')
    import :: c_ptr, c_size_t
    integer(c_size_t), value :: bytes
  end function
  type(c_ptr) function fftwf_alloc_real(n) bind(c, name='fftwf_alloc_real')
    import :: c_ptr, c_size_t
    integer(c_size_t), value :: n
  end function
  type(c_ptr) function fftwf_alloc_complex(n) bind(c, name='fftwf_alloc_complex')
    import :: c_ptr, c_size_t
    integer(c_size_t), value :: n
  end function
  subroutine fftwf_free(at) bind(c, name='fftwf_free')
    import :: c_ptr
    type(c_ptr), value :: at
  end subroutine
  integer(c_int) function fftwf_init_threads() bind(c, name='fftwf_init_threads')
    import :: c_int
  end function
  subroutine fftwf_plan_with_nthreads(threads) bind(c, name='fftwf_plan_with_nthreads')
    import :: c_int
    integer(c_int), value :: threads
  end subroutine
  subroutine fftwf_cleanup_threads() bind(c, name='fftwf_cleanup_threads')
  end subroutine
end interface
