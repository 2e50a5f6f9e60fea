! EXECUTE_COMMAND_LINE: CMDSTAT and CMDMSG say that there are no processes; without CMDSTAT the program ends, and is told.
! ranks: 1
! exit: nonzero
! stdout: status -1, exit 7, EXECUTE_COMMAND_LINE: a program of WebAssembly can start no others; let a script
! stdout: short EXECU.
! stdout: unpadded 0
! stderr: command.f90:23
! stderr: let a script do this before or after the run
! stderr-not: not implemented
program command
  use mpi_f08
  implicit none
  integer :: status, exit
  character(200) :: message
  character(5) :: short
  call MPI_Init()
  exit = 7
  call execute_command_line('mkdir -p out', exitstat=exit, cmdstat=status, cmdmsg=message)
  print '(a, i0, a, i0, 2a)', 'status ', status, ', exit ', exit, ', ', trim(message)
  call execute_command_line('mkdir -p out', cmdstat=status, cmdmsg=short)
  print '(3a)', 'short ', short, '.'
  print '(a, i0)', 'unpadded ', count([(message(status:status) == char(0), status=1, 200)])
  call execute_command_line('mkdir -p out')
  print '(a)', 'never'
end program
