program teams
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  interface
    real(c_double) function half_sum(n) bind(C)
      import
      integer(c_int), value :: n
    end function
  end interface
  integer :: i, total, threads
  total = 0
  threads = 0
  !$omp parallel do reduction(+: total) reduction(max: threads)
  do i = 1, 100
    total = total + i
    threads = max(threads, omp_get_num_threads())
  end do
  print '(a,i0,a,i0,a,f6.1)', 'threads ', threads, ' total ', total, ' half ', half_sum(100)
end program
