! WebAssembly rounds to the nearest number, and no inquiry says otherwise; what asks for another mode is told so.
! ranks: 1
! exit: 134
! stderr: ieee_set_rounding_mode: ieee_up is not supported: WebAssembly rounds to the nearest number
program rounding
  use, intrinsic :: ieee_arithmetic
  implicit none
  type(ieee_round_type) :: mode
  type(ieee_modes_type) :: modes
  type(ieee_flag_type) :: flag
  logical :: is_set, halts
  real(8) :: few(3) = 1
  flag = ieee_overflow
  if (ieee_support_rounding(ieee_up) .or. ieee_support_rounding(ieee_down, 1.0)) error stop 'another mode'
  if (.not. ieee_support_rounding(ieee_nearest, few)) error stop 'no mode'
  if (ieee_support_flag(flag) .or. ieee_support_flag(ieee_inexact, 1d0)) error stop 'flags'
  if (ieee_support_halting(ieee_invalid) .or. ieee_support_halting(flag)) error stop 'halting'
  if (ieee_support_standard() .or. ieee_support_standard(1.0)) error stop 'the whole standard'
  if (ieee_support_underflow_control(1.0)) error stop 'underflow'
  if (.not. (ieee_support_nan(1.0) .and. ieee_support_inf(1d0) .and. ieee_support_denormal(1.0))) error stop 'values'
  call ieee_get_rounding_mode(mode)
  if (mode /= ieee_nearest) error stop 'not to the nearest'
  call ieee_set_rounding_mode(ieee_nearest)
  call ieee_set_rounding_mode(mode)
  call ieee_get_modes(modes)
  call ieee_set_modes(modes)
  call ieee_get_flag(ieee_overflow, is_set)
  call ieee_get_halting_mode(ieee_overflow, halts)
  if (is_set .or. halts) error stop 'a flag without support'
  call ieee_set_rounding_mode(ieee_up)
  error stop 'went on'
end program rounding
