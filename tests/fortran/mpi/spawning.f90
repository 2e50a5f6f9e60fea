! Processes that start processes: commands and arguments as arrays of strings, MPI_ARGV_NULL, MPI_ERRCODES_IGNORE, names and ports.
! ranks: 1
! with: ../check.f90
! run: --dir-ro {guests}
program spawning
  use mpi_f08
  use checks
  implicit none
  type(MPI_Comm) :: parent, children
  character(len=1024) :: program_name
  call MPI_Init
  call MPI_Comm_get_parent(parent)
  if (parent /= MPI_COMM_NULL) then
    call child
  else
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call get_command_argument(0, program_name)
    call one_command
    call several_commands
    call ports
    call finish
  end if
contains
  ! Sends the number of its arguments and the first letters of each.
  subroutine child
    character(len=8) :: argument
    integer :: i
    call MPI_Send(command_argument_count(), 1, MPI_INTEGER, 0, 1, parent)
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      call MPI_Send(argument, 8, MPI_CHARACTER, 0, 2, parent)
    end do
    call MPI_Comm_disconnect(parent)
    call MPI_Finalize
  end subroutine

  subroutine expect(child, arguments, what)
    integer, intent(in) :: child
    character(len=*), intent(in) :: arguments(:), what
    character(len=8) :: argument
    integer :: count, i
    call MPI_Recv(count, 1, MPI_INTEGER, child, 1, children, MPI_STATUS_IGNORE)
    call check(count == size(arguments), what)
    do i = 1, count
      call MPI_Recv(argument, 8, MPI_CHARACTER, child, 2, children, MPI_STATUS_IGNORE)
      if (i <= size(arguments)) call check(argument == arguments(i), what)
    end do
  end subroutine

  subroutine one_command
    integer :: codes(1)
    character(len=6) :: arguments(4) = ['one   ', 'two   ', 'a b   ', '      ']
    codes = -1
    call MPI_Comm_spawn(program_name, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, codes)
    call check(codes(1) == MPI_SUCCESS, 'error codes of Comm_spawn')
    call expect(0, arguments(1:3), 'arguments of Comm_spawn')
    call MPI_Comm_disconnect(children)
    call MPI_Comm_spawn(program_name, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE)
    call expect(0, arguments(1:0), 'MPI_ARGV_NULL')
    call MPI_Comm_disconnect(children)
  end subroutine

  ! A row of the array belongs to a command; a blank ends it.
  subroutine several_commands
    character(len=4) :: arguments(2, 3)
    integer :: codes(2)
    arguments(1, :) = ['x   ', 'y   ', '    ']
    arguments(2, :) = ['z   ', '    ', 'no  ']
    codes = -1
    call MPI_Comm_spawn_multiple(2, [program_name, program_name], arguments, [1, 1], [MPI_INFO_NULL, MPI_INFO_NULL], &
        0, MPI_COMM_SELF, children, codes)
    call check(all(codes == MPI_SUCCESS), 'error codes of Comm_spawn_multiple')
    call expect(0, ['x', 'y'], 'the first command of Comm_spawn_multiple')
    call expect(1, ['z'], 'the second command of Comm_spawn_multiple')
    call MPI_Comm_disconnect(children)
  end subroutine

  subroutine ports
    character(len=MPI_MAX_PORT_NAME) :: port, found
    integer :: ierror, class
    call MPI_Open_port(MPI_INFO_NULL, port)
    call check(len_trim(port) > 0, 'Open_port')
    call MPI_Publish_name('rankine-fortran  ', MPI_INFO_NULL, port)
    found = repeat('x', MPI_MAX_PORT_NAME)
    call MPI_Lookup_name('rankine-fortran', MPI_INFO_NULL, found)
    call check(found == port, 'Lookup_name')
    call MPI_Unpublish_name('rankine-fortran', MPI_INFO_NULL, port)
    call MPI_Lookup_name('rankine-fortran', MPI_INFO_NULL, found, ierror)
    call MPI_Error_class(ierror, class)
    call check(class == MPI_ERR_NAME, 'a name that nobody has published')
    call MPI_Close_port(port)
  end subroutine
end program
