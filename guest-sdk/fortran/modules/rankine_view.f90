! The live view: what a program shows in the page of `rankine run --view`, and what is changed there.
!
!     real(real64), pointer :: inflow
!     call rankine_view_number('inflow', inflow, 0.9_real64, 0.1_real64, 2.0_real64, 0.05_real64)
!     do step = 1, steps
!       call rankine_view_update(MPI_COMM_WORLD)       ! inflow is now what the slider says, on all ranks
!       ...
!       call rankine_view_field('density', step, [columns, rows], [1, first], density(:, first:last))
!       if (rank == 0) call rankine_view_curve('residual', step, residual)
!     end do
!
! Without --view all of it does nothing: controls keep their values, and publishing costs a call. Things are known by their
! names. What was wrong with a call is told on the standard error stream and in the page, and the program goes on; ierror is
! then an error class of MPI.
module rankine_view
  use, intrinsic :: iso_c_binding, only: real32 => c_float, real64 => c_double, int32 => c_int32_t, int64 => c_int64_t
  use mpi_f08_types, only: MPI_Comm
  implicit none
  private
  public :: rankine_view_on, rankine_view_field, rankine_view_arrows, rankine_view_points, rankine_view_curve, &
            rankine_view_text, rankine_view_scale, rankine_view_axis, rankine_view_number, rankine_view_choice, rankine_view_button, rankine_view_update

  ! Shows this rank's part of a field as it is at a step:
  !
  !     call rankine_view_field(name, step, shape, start, values)
  !
  ! `shape` is that of the whole, and `start` the place of the part's first element in it, from 1 on. The values are reals or
  ! integers of 4 or 8 bytes in two or three dimensions, or a section of such an array, which is not copied. The first
  ! dimension runs to the right, the second one downwards, and of three a plane is shown, which the page chooses. A frame is shown when the parts
  ! of all ranks cover the whole, so each publishes once a step; a rank that has nothing need not.
  ! Distributed arrays (the module rankine_arrays) have a procedure `show`.
  interface rankine_view_field
    module procedure field_r4_2, field_r4_3, field_r8_2, field_r8_3, field_i4_2, field_i4_3, field_i8_2, field_i8_3
  end interface

  ! Shows this rank's part of a field with arrows over it:
  !
  !     call rankine_view_arrows(name, step, shape, start, x, y, values=values)          ! in two dimensions
  !     call rankine_view_arrows(name, step, shape, start, x, y, z, values)              ! in three
  !
  ! x, y and z are the parts of vectors along the first, the second and the third dimension, and point to where coordinates
  ! grow. Without values the colours show how long they are. All are real32 or real64, of one shape, and lie in memory alike;
  ! they may be sections. Field and vectors are of one step, and shown together.
  interface rankine_view_arrows
    module procedure arrows_r4_2, arrows_r4_3, arrows_r8_2, arrows_r8_3
  end interface

  ! Shows this rank's points, such as particles, as they are at a step:
  !
  !     call rankine_view_points(name, step, places, values, within, ranks)
  !
  ! places(:, n) are the two or three coordinates of the n-th one, x to the right and y upwards, and values(n), if there are
  ! any, is shown as its colour. Both are real32 or real64, and may be sections, which are not copied. within(:, d) are the
  ! least and the greatest coordinate that the picture shows, without it those of the points. A frame is shown when all ranks
  ! of the job have published, or so many `ranks`, each once a step, those that have no points too.
  interface rankine_view_points
    module procedure points_r4, points_r8
  end interface

  ! Adds a point to a curve: of one rank, or of several under different names. Its x may be a step.
  interface rankine_view_curve
    module procedure curve_r8, curve_i4
  end interface

  ! Collective: gives all controls what the page says now, the same on all ranks, and waits while the page has the program
  ! pause.
  interface rankine_view_update
    subroutine rankine_view_update_f08(comm, ierror)
      import
      implicit none
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_update_f90(comm, ierror)
      implicit none
      integer, intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface
    ! Whether somebody may look: the same on all ranks.
    logical function rankine_view_on()
      implicit none
    end function

    ! Shows a text in place of the one before.
    subroutine rankine_view_text(name, text, ierror)
      implicit none
      character(len=*), intent(in) :: name, text
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! What stands behind them in C.
  interface
    subroutine rankine_view_put_arrows(name, step, shape, start, x, y, z, values, ierror)
      implicit none
      character(len=*), intent(in) :: name
      integer, intent(in) :: step, shape(*), start(*)
      type(*), dimension(..), intent(in) :: x, y
      type(*), dimension(..), optional, intent(in) :: z, values
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_scale(name, unit, least, greatest, ierror)
      import
      implicit none
      character(len=*), intent(in) :: name, unit
      real(real64), intent(in) :: least, greatest
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_axis(name, axis, label, unit, first, spacing, ierror)
      import
      implicit none
      character(len=*), intent(in) :: name, axis, label, unit
      real(real64), intent(in) :: first, spacing
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_field(name, step, shape, start, values, ierror)
      implicit none
      character(len=*), intent(in) :: name
      integer, intent(in) :: step, shape(*), start(*)
      type(*), dimension(..), intent(in) :: values
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_points(name, step, places, values, within, ranks, ierror)
      import
      implicit none
      character(len=*), intent(in) :: name
      integer, intent(in) :: step, ranks
      type(*), dimension(..), intent(in) :: places
      type(*), dimension(..), optional, intent(in) :: values
      real(real64), optional, intent(in) :: within(:, :)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_curve(name, x, y, ierror)
      import
      implicit none
      character(len=*), intent(in) :: name
      real(real64), intent(in) :: x, y
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_number(name, number, least, greatest, step, ierror)
      import
      implicit none
      character(len=*), intent(in) :: name
      real(real64), target :: number
      real(real64), intent(in) :: least, greatest, step
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_choice(name, choice, count, labels, ierror)
      implicit none
      character(len=*), intent(in) :: name, labels(*)
      integer, target :: choice
      integer, intent(in) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_view_put_button(name, presses, ierror)
      implicit none
      character(len=*), intent(in) :: name
      integer, target :: presses
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
contains
  include 'rankine_view/controls.inc'
  include 'rankine_view/fields.inc'
  include 'rankine_view/points.inc'
  include 'rankine_view/arrows.inc'
  include 'rankine_view/meaning.inc'
end module
