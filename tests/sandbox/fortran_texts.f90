! Texts, handles and counts through the bindings of Fortran, which cut, pad and copy before anybody else looks: lines for the launcher, zero
! bytes, lists of arguments, made-up codes and handles. Each is refused as in C, and nobody else notices.
! ranks: 1 2
! run: --dir-ro {guests}
program fortran_texts
    use, intrinsic :: iso_c_binding, only: c_new_line, c_null_char
    use mpi_f08
    implicit none
    character(*), parameter :: bad(6) = [character(40) :: 'x'//c_new_line//'cmd=abort exitcode=9', c_new_line//'mcmd=spawn', &
        'x'//achar(13), achar(27)//'[2J', 'x'//c_new_line, 'x'//achar(127)]
    integer, parameter :: made_up(3) = [int(z'7f003'), -1, huge(1)]
    integer :: error, rank, length, class, i, codes(1), sum
    type(MPI_Comm) :: other
    type(MPI_Info) :: info
    type(MPI_Datatype) :: type
    type(MPI_Request) :: request
    character(MPI_MAX_PORT_NAME) :: port
    character(MPI_MAX_ERROR_STRING) :: text
    character(70000), save :: longest
    character(40) :: arguments(2)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    longest = repeat('x', len(longest))
    call MPI_Info_create(info)
    call MPI_Type_dup(MPI_INTEGER, type)
    do i = 1, size(bad)
        call MPI_Publish_name(trim(bad(i)), MPI_INFO_NULL, 'p', error)
        call refused('publish', i, error)
        call MPI_Publish_name('service', MPI_INFO_NULL, bad(i), error)
        call refused('port', i, error)
        call MPI_Unpublish_name(bad(i), MPI_INFO_NULL, 'p', error)
        call refused('unpublish', i, error)
        call MPI_Lookup_name(bad(i), MPI_INFO_NULL, port, error)
        call refused('lookup', i, error)
        call MPI_Close_port(bad(i), error)
        call refused('close', i, error)
        call MPI_Comm_connect(bad(i), MPI_INFO_NULL, 0, MPI_COMM_SELF, other, error)
        call refused('connect', i, error)
        call MPI_Info_set(info, 'key', bad(i), error)
        call refused('value', i, error)
        call MPI_Type_set_name(type, bad(i), error)
        call refused('name', i, error)
        arguments = ' '
        arguments(1) = bad(i)
        call MPI_Comm_spawn('/bin/sh', arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, codes, error)
        call refused('spawn', i, error)
    end do
    ! What lies behind a zero byte is no way past a check, and what is too long is not cut.
    call MPI_Comm_spawn('/bin/sh'//c_null_char//'.wasm', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, codes, error)
    call refused('zero', 1, error)
    call MPI_Publish_name(longest, MPI_INFO_NULL, 'p', error)
    call refused('longest', 1, error)
    call MPI_Lookup_name(longest, MPI_INFO_NULL, port, error)
    call refused('longest', 2, error)
    call MPI_Info_set(info, longest, 'value', error)
    call refused('longest', 3, error)
    call MPI_Info_set(info, '   ', 'value', error)
    call refused('blank', 1, error)
    ! Codes and handles that were made up.
    do i = 1, 3
        call MPI_Error_string(made_up(i), text, length, error)
        call refused('text', i, error)
        call MPI_Error_class(made_up(i), class, error)
        call refused('class', i, error)
        call MPI_Comm_size(MPI_Comm(1000000 * i), length, error)
        call refused('handle', i, error)
        call MPI_Isend(longest, -i, MPI_CHARACTER, rank, 0, MPI_COMM_WORLD, request, error)
        call refused('count', i, error)
        call MPI_Isend(longest, huge(1) - i, MPI_DOUBLE_PRECISION, rank, 0, MPI_COMM_WORLD, request, error)
        call refused('length', i, error)
    end do
    call MPI_Info_free(info)
    call MPI_Type_free(type)
    call MPI_Allreduce(1, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Comm_size(MPI_COMM_WORLD, length)
    if (sum /= length) call MPI_Abort(MPI_COMM_WORLD, 1)
    if (rank == 0) print '(a)', 'OK'
    call MPI_Finalize()

contains

    subroutine refused(what, which, error)
        character(*), intent(in) :: what
        integer, intent(in) :: which, error
        if (error /= MPI_SUCCESS) return
        print *, what, which, 'was not refused'
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine
end program
