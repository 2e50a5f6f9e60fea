! Strings: blanks at the end and around keys are not part of them, results are padded, lengths count no zero byte.
! ranks: 1 2 3 4
! with: ../check.f90
program strings
  use mpi_f08
  use checks
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Info) :: info, other
  type(MPI_Datatype) :: newtype
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  character(len=40) :: text
  character(len=MPI_MAX_ERROR_STRING) :: message
  character(len=MPI_MAX_INFO_KEY) :: key
  character(len=5) :: short
  integer :: length, ierror, class, code, n
  integer(MPI_ADDRESS_KIND) :: position, size
  real(8) :: x(4), y(4)
  character :: buffer(64)
  logical :: flag
  call MPI_Init
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_name(comm, 'with blanks inside   ')
  text = repeat('?', 40)
  call MPI_Comm_get_name(comm, text, length)
  call check(text == 'with blanks inside' .and. length == 18 .and. text(19:) == ' ', 'Comm name')
  call MPI_Comm_get_name(comm, short, length)
  call check(short == 'with ' .and. length == 18, 'a name that is cut off')
  call MPI_Type_dup(MPI_INTEGER, newtype)
  call MPI_Type_set_name(newtype, 'mine')
  call MPI_Type_get_name(newtype, text, length)
  call check(text == 'mine' .and. length == 4, 'Type name')
  call MPI_Type_free(newtype)

  call MPI_Info_create(info)
  call MPI_Info_set(info, '  first ', '  a value ')
  call MPI_Info_set(info, 'second', 'b')
  call MPI_Info_get_nkeys(info, n)
  call check(n == 2, 'Info_get_nkeys')
  call MPI_Info_get_nthkey(info, 0, key)
  call check(key == 'first', 'Info_get_nthkey counts from 0')
  call MPI_Info_get_valuelen(info, 'first', length, flag)
  call check(flag .and. length == 7, 'Info_get_valuelen')
  text = '?'
  call MPI_Info_get(info, 'first', 40, text, flag)
  call check(flag .and. text == 'a value', 'Info_get')
  text = 'kept'
  call MPI_Info_get(info, 'third', 40, text, flag)
  call check(.not. flag .and. text == 'kept', 'Info_get of a key that is not there')
  length = 40
  call MPI_Info_get_string(info, 'first', length, text, flag)
  call check(flag .and. text == 'a value' .and. length == 7, 'Info_get_string')
  length = 0
  call MPI_Info_get_string(info, 'first', length, text, flag)
  call check(flag .and. length >= 7, 'Info_get_string asks for the length')
  call MPI_Info_dup(info, other)
  call MPI_Info_delete(other, 'first ')
  call MPI_Info_get_nkeys(other, n)
  call check(n == 1, 'Info_delete')
  call MPI_Info_free(other)
  call MPI_Info_free(info)
  call check(info == MPI_INFO_NULL, 'Info_free')

  call MPI_Error_string(MPI_ERR_TAG, message, length)
  call check(len_trim(message) == length .and. length > 0, 'Error_string')
  call MPI_Add_error_class(class)
  call MPI_Add_error_code(class, code)
  call MPI_Add_error_string(code, 'an error of my own  ')
  call MPI_Error_string(code, message, length)
  call check(message == 'an error of my own' .and. length == 18, 'Add_error_string')
  call MPI_Error_class(code, n)
  call check(n == class, 'Error_class')

  x = [1d0, 2d0, 3d0, 4d0]
  y = 0
  call MPI_Pack_external_size('external32', 4, MPI_DOUBLE_PRECISION, size)
  call check(size == 32, 'Pack_external_size')
  position = 0
  call MPI_Pack_external('external32 ', x, 4, MPI_DOUBLE_PRECISION, buffer, 64_MPI_ADDRESS_KIND, position)
  position = 0
  call MPI_Unpack_external('external32', buffer, 64_MPI_ADDRESS_KIND, position, y, 4, MPI_DOUBLE_PRECISION)
  call check(position == 32 .and. all(x == y), 'Pack_external')

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
  call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n)
  call check(n >= 2, 'Session_get_num_psets')
  length = 40
  call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, text)
  call check(text == 'mpi://WORLD' .and. length == 11, 'Session_get_nth_pset')
  call MPI_Group_from_session_pset(session, ' mpi://WORLD '(2:), group)
  call MPI_Group_size(group, n)
  call MPI_Comm_size(MPI_COMM_WORLD, length)
  call check(n == length, 'Group_from_session_pset')
  call MPI_Group_free(group)
  call MPI_Session_finalize(session)
  call MPI_Comm_free(comm)
  call finish
end program
