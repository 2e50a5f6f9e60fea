! mpi_f08: operations that go on after the call work on the elements of a section alone, whatever the datatype, the side of a
! collective and the call that completes them: MPI_SUBARRAYS_SUPPORTED.
! ranks: 1 2 3 4
! with: ../check.f90 completes.c
! stderr: memory that MPI is given must be contiguous
program lasting_sections
  use mpi_f08
  use checks
  implicit none
  interface
    subroutine c_waits(request) bind(C)
      integer, intent(inout) :: request
    end subroutine
  end interface
  integer :: rank, size, next, previous, i
  integer, asynchronous :: a(4, 6), b(4, 6)
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  a = reshape([(100*rank + i, i=1, 24)], [4, 6])
  call check(MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')
  call datatypes
  call completions
  call persistent
  call reductions
  call collectives
  call partitions
  call others_in_c
  call not_kept
  call what_is_no_section
  call finish
contains
  ! A datatype of several elements, of parts of one, and one with gaps.
  subroutine datatypes
    type(MPI_Datatype) :: pair, every_other
    type(MPI_Request) :: requests(4)
    character(len=6), asynchronous :: words(4), got(4)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, every_other)
    call MPI_Type_commit(pair)
    call MPI_Type_commit(every_other)
    b = -1
    call MPI_Irecv(b(2, :), 3, pair, previous, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(3, :), 24, MPI_BYTE, next, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests(:2), MPI_STATUSES_IGNORE)
    call check(all(b(2, :) == 100*previous + [(4*i - 1, i=1, 6)]) .and. count(b == -1) == 18, 'pairs and bytes')
    ! Two messages fill the same section, each what the other leaves out.
    b = -1
    call MPI_Irecv(b(1, :), 1, every_other, previous, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(b(1, 2:), 1, every_other, previous, 3, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(a(1, 1:3), 1, every_other, next, 3, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(a(2, 1:3), 1, every_other, next, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    b(1, 5) = 55
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    call check(all(b(1, :) == [100*previous + [2, 1, 10, 9], 55, -1]), 'gaps')
    call MPI_Type_free(pair)
    call MPI_Type_free(every_other)
    words = ['abcdef', 'ghijkl', 'mnopqr', 'stuvwx']
    got = '......'
    call MPI_Irecv(got(::2)(2:3), 4, MPI_CHARACTER, previous, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(words(4:2:-2)(5:6), 4, MPI_CHARACTER, next, 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests(:2), MPI_STATUSES_IGNORE)
    call check(all(got == ['.wx...', '......', '.kl...', '......']), 'parts of characters')
  end subroutine

  ! Every call that completes requests.
  subroutine completions
    type(MPI_Request) :: requests(3)
    type(MPI_Status) :: status, statuses(3)
    logical :: flag
    integer :: at, done, indices(3), way
    do way = 1, 7
      b = -1
      do i = 1, 3
        call MPI_Irecv(b(i + 1, ::3), 2, MPI_INTEGER, previous, 10 + i, MPI_COMM_WORLD, requests(i))
      end do
      do i = 1, 3
        call MPI_Send(a(i, 2::3), 2, MPI_INTEGER, next, 10 + i, MPI_COMM_WORLD)
      end do
      select case (way)
      case (1)
        do i = 1, 3
          call MPI_Waitany(3, requests, at, status)
        end do
      case (2)
        i = 0
        do while (i < 3)
          call MPI_Waitsome(3, requests, done, indices, statuses)
          i = i + done
        end do
      case (3)
        flag = .false.
        do while (.not. flag)
          call MPI_Testall(3, requests, flag, statuses)
        end do
      case (4)
        i = 0
        do while (i < 3)
          call MPI_Testany(3, requests, at, flag, status)
          if (flag) i = i + 1
        end do
      case (5)
        i = 0
        do while (i < 3)
          call MPI_Testsome(3, requests, done, indices, statuses)
          i = i + done
        end do
      case (6)
        do i = 1, 3
          flag = .false.
          do while (.not. flag)
            call MPI_Test(requests(i), flag, status)
          end do
        end do
      case (7)
        do i = 1, 3
          flag = .false.
          do while (.not. flag)
            call MPI_Request_get_status(requests(i), flag, status)
          end do
        end do
      end select
      do i = 1, 3
        call check(all(b(i + 1, ::3) == 100*previous + [4 + i, 16 + i]), 'completed in way '//achar(iachar('0') + way))
      end do
      call check(count(b == -1) == 18, 'nothing else is written')
      call MPI_Waitall(3, requests, statuses)
      call check(all(requests%MPI_VAL == MPI_REQUEST_NULL%MPI_VAL), 'requests are gone')
    end do
  end subroutine

  ! Sections are read again at every start.
  subroutine persistent
    type(MPI_Request) :: requests(2)
    integer, asynchronous :: c(4, 6)
    integer :: round
    b = -1
    c = a
    call MPI_Recv_init(b(1, ::2), 3, MPI_INTEGER, previous, 20, MPI_COMM_WORLD, requests(1))
    call MPI_Send_init(c(4, ::2), 3, MPI_INTEGER, next, 20, MPI_COMM_WORLD, requests(2))
    do round = 1, 3
      c(4, :) = 1000*round + rank
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call check(all(b(1, ::2) == 1000*round + previous) .and. count(b == -1) == 21, 'Startall')
      b(1, 1) = 7
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      call check(b(1, 1) == 7, 'an inactive request changes nothing')
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  subroutine reductions
    type(MPI_Request) :: request
    b = a
    call MPI_Iallreduce(MPI_IN_PLACE, b(2, :), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(b(2, :) == 50*size*(size - 1) + size*[(4*i - 2, i=1, 6)]), 'Iallreduce in place')
    b(2, :) = a(2, :)
    call check(all(a == b), 'Iallreduce writes the section alone')
    b = -1
    call MPI_Ireduce(a(1, 1:6:5), b(4:1:-3, 2), 2, MPI_INTEGER, MPI_MAX, size - 1, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == size - 1) call check(all(b(:, 2) == [100*rank + 21, -1, -1, 100*rank + 1]), 'Ireduce')
  end subroutine

  ! The side with every rank's part.
  subroutine collectives
    integer, allocatable, asynchronous :: parts(:, :), others(:, :)
    type(MPI_Request) :: request
    allocate (parts(2, 2*size), others(3, 2*size))
    parts = -1
    call MPI_Igather(a(2:4:2, 1), 2, MPI_INTEGER, parts(2, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) call check(all(parts(2, :) == [(100*i + 2, 100*i + 4, i=0, size - 1)]), 'Igather')
    call check(all(parts(1, :) == -1), 'Igather writes the section alone')
    others = 0
    parts(1, :) = [(1000*rank + i, i=1, 2*size)]
    call MPI_Ialltoall(parts(1, :), 2, MPI_INTEGER, others(3, :), 2, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(others(3, :) == [(1000*i + 2*rank + 1, 1000*i + 2*rank + 2, i=0, size - 1)]), 'Ialltoall')
    call check(all(others(:2, :) == 0), 'Ialltoall writes the section alone')
    ! Blocks of one element, with one between them that nobody writes.
    others = 0
    call MPI_Iallgatherv(rank + 1, 1, MPI_INTEGER, others(1, :), [(1, i=1, size)], [(2*i, i=0, size - 1)], MPI_INTEGER, &
      MPI_COMM_WORLD, request)
    others(1, 2) = 77
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(others(1, 1::2) == [(i, i=1, size)]) .and. others(1, 2) == 77, 'Iallgatherv between blocks')
  end subroutine

  ! A partition is read when it is ready.
  subroutine partitions
    type(MPI_Request) :: requests(2)
    integer, asynchronous :: c(2, 6)
    integer :: part
    logical :: flag
    c = -1
    b = -1
    call MPI_Psend_init(c(1, :), 3, 2_MPI_COUNT_KIND, MPI_INTEGER, next, 30, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(b(3, :), 3, 2_MPI_COUNT_KIND, MPI_INTEGER, previous, 30, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    do part = 2, 0, -1
      c(1, 2*part + 1:2*part + 2) = 10*rank + part
      call MPI_Pready(part, requests(1))
    end do
    flag = .false.
    do while (.not. flag)
      call MPI_Parrived(requests(2), 1, flag)
    end do
    call check(all(b(3, 3:4) == 10*previous + 1), 'Parrived')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(b(3, :) == 10*previous + [0, 0, 1, 1, 2, 2]) .and. count(b == -1) == 18, 'partitions')
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  ! It does not matter which language completes an operation.
  subroutine others_in_c
    type(MPI_Request) :: requests(2)
    b = -1
    call MPI_Irecv(b(1, :), 6, MPI_INTEGER, previous, 40, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(1, :), 6, MPI_INTEGER, next, 40, MPI_COMM_WORLD, requests(2))
    call c_waits(requests(1)%MPI_VAL)
    call check(all(b(1, :) == a(1, :) + 100*(previous - rank)), 'MPI_Wait in C')
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
  end subroutine

  ! Memory that MPI keeps can have no gaps.
  subroutine not_kept
    integer :: code
    integer, asynchronous :: attached(2, 4000)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Buffer_attach(attached(1, :), 16000, code)
    call check(code == MPI_ERR_BUFFER, 'Buffer_attach refuses a section')
  end subroutine

  ! Scalars, MPI_BOTTOM, arrays of assumed size, sections of no elements.
  subroutine what_is_no_section
    type(MPI_Request) :: requests(2)
    type(MPI_Datatype) :: absolute
    integer(MPI_ADDRESS_KIND) :: place
    integer, asynchronous :: scalar, sent
    sent = rank
    call MPI_Irecv(scalar, 1, MPI_INTEGER, previous, 50, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(sent, 1, MPI_INTEGER, next, 50, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(scalar == previous, 'scalar')
    call MPI_Get_address(b(3, 4), place)
    call MPI_Type_create_hindexed(1, [1], [place], MPI_INTEGER, absolute)
    call MPI_Type_commit(absolute)
    call MPI_Irecv(MPI_BOTTOM, 1, absolute, previous, 51, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(sent, 1, MPI_INTEGER, next, 51, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(b(3, 4) == previous, 'MPI_BOTTOM')
    call MPI_Type_free(absolute)
    b = -1
    call assumed_size(b)
    call check(all(b == reshape([(100*previous + i, i=1, 24)], [4, 6])), 'assumed size')
    call MPI_Irecv(b(1, 7:), 0, MPI_INTEGER, previous, 53, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(1, 1:0), 0, MPI_INTEGER, next, 53, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine assumed_size(x)
    integer, asynchronous :: x(4, *)
    type(MPI_Request) :: requests(2)
    call MPI_Irecv(x, 24, MPI_INTEGER, previous, 52, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a, 24, MPI_INTEGER, next, 52, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end subroutine
end program
