! OpenMP's procedures for a program with one thread, as those in Fortran are: directives are comments, and it does alone
! what it would do in a team. Programs use the module with -fopenmp and without it, as other compilers bring it along.
! They are external procedures (glue/omp.c), which omp_lib.h and a declaration in the program find too.
module omp_lib
  use, intrinsic :: iso_c_binding, only: c_intptr_t
  implicit none
  private :: c_intptr_t

  ! A lock's value is how often it is held.
  integer, parameter :: omp_lock_kind = c_intptr_t, omp_nest_lock_kind = c_intptr_t
  integer, parameter :: omp_sched_kind = kind(0), omp_proc_bind_kind = kind(0), omp_lock_hint_kind = kind(0)
  integer(omp_sched_kind), parameter :: omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, &
                                        omp_sched_auto = 4
  integer(omp_proc_bind_kind), parameter :: omp_proc_bind_false = 0, omp_proc_bind_true = 1, &
                                            omp_proc_bind_primary = 2, omp_proc_bind_master = 2, &
                                            omp_proc_bind_close = 3, omp_proc_bind_spread = 4
  ! That of OpenMP 4.5.
  integer, parameter :: openmp_version = 201511

  interface
    integer function omp_get_thread_num()
    end function

    integer function omp_get_num_threads()
    end function

    integer function omp_get_max_threads()
    end function

    integer function omp_get_num_procs()
    end function

    integer function omp_get_thread_limit()
    end function

    subroutine omp_set_num_threads(num_threads)
      integer, intent(in) :: num_threads
    end subroutine

    logical function omp_in_parallel()
    end function

    logical function omp_in_final()
    end function

    logical function omp_get_dynamic()
    end function

    subroutine omp_set_dynamic(dynamic_threads)
      logical, intent(in) :: dynamic_threads
    end subroutine

    logical function omp_get_nested()
    end function

    subroutine omp_set_nested(nested)
      logical, intent(in) :: nested
    end subroutine

    logical function omp_get_cancellation()
    end function

    integer function omp_get_level()
    end function

    integer function omp_get_active_level()
    end function

    integer function omp_get_max_active_levels()
    end function

    subroutine omp_set_max_active_levels(max_levels)
      integer, intent(in) :: max_levels
    end subroutine

    integer function omp_get_ancestor_thread_num(level)
      integer, intent(in) :: level
    end function

    integer function omp_get_team_size(level)
      integer, intent(in) :: level
    end function

    integer function omp_get_num_teams()
    end function

    integer function omp_get_team_num()
    end function

    integer function omp_get_proc_bind()
    end function

    integer function omp_get_num_places()
    end function

    subroutine omp_set_schedule(kind, chunk_size)
      import :: omp_sched_kind
      integer(omp_sched_kind), intent(in) :: kind
      integer, intent(in) :: chunk_size
    end subroutine

    subroutine omp_get_schedule(kind, chunk_size)
      import :: omp_sched_kind
      integer(omp_sched_kind), intent(out) :: kind
      integer, intent(out) :: chunk_size
    end subroutine

    ! There is no device but the one that runs the program.
    integer function omp_get_num_devices()
    end function

    integer function omp_get_initial_device()
    end function

    integer function omp_get_default_device()
    end function

    subroutine omp_set_default_device(device_num)
      integer, intent(in) :: device_num
    end subroutine

    logical function omp_is_initial_device()
    end function

    double precision function omp_get_wtime()
    end function

    double precision function omp_get_wtick()
    end function

    subroutine omp_init_lock(svar)
      import :: omp_lock_kind
      integer(omp_lock_kind), intent(out) :: svar
    end subroutine

    subroutine omp_destroy_lock(svar)
      import :: omp_lock_kind
      integer(omp_lock_kind), intent(inout) :: svar
    end subroutine

    subroutine omp_set_lock(svar)
      import :: omp_lock_kind
      integer(omp_lock_kind), intent(inout) :: svar
    end subroutine

    subroutine omp_unset_lock(svar)
      import :: omp_lock_kind
      integer(omp_lock_kind), intent(inout) :: svar
    end subroutine

    logical function omp_test_lock(svar)
      import :: omp_lock_kind
      integer(omp_lock_kind), intent(inout) :: svar
    end function

    subroutine omp_init_nest_lock(nvar)
      import :: omp_nest_lock_kind
      integer(omp_nest_lock_kind), intent(out) :: nvar
    end subroutine

    subroutine omp_destroy_nest_lock(nvar)
      import :: omp_nest_lock_kind
      integer(omp_nest_lock_kind), intent(inout) :: nvar
    end subroutine

    subroutine omp_set_nest_lock(nvar)
      import :: omp_nest_lock_kind
      integer(omp_nest_lock_kind), intent(inout) :: nvar
    end subroutine

    subroutine omp_unset_nest_lock(nvar)
      import :: omp_nest_lock_kind
      integer(omp_nest_lock_kind), intent(inout) :: nvar
    end subroutine

    integer function omp_test_nest_lock(nvar)
      import :: omp_nest_lock_kind
      integer(omp_nest_lock_kind), intent(inout) :: nvar
    end function
  end interface
end module
