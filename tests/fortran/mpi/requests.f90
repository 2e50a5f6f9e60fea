! Requests: indices count from 1, arrays of statuses, ignored statuses, logicals.
! ranks: 1 2 3 4
! with: ../check.f90
program requests
  use mpi
  use checks
  implicit none
  integer, parameter :: n = 4
  integer :: ierror, rank, size, i, done, indx, indices(n), statuses(MPI_STATUS_SIZE, n), status(MPI_STATUS_SIZE)
  integer :: sends(n), receives(n), got(n), values(n), persistent(2)
  logical :: flag, seen(n)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  values = [(10*rank + i, i=1, n)]

  call start
  seen = .false.
  do i = 1, n
    call MPI_Waitany(count=n, array_of_requests=receives, index=indx, status=status, ierror=ierror)
    call check(indx >= 1 .and. indx <= n .and. status(MPI_TAG) == indx, 'Waitany')
    seen(indx) = .true.
  end do
  call check(all(seen), 'Waitany completes each')
  call MPI_Waitany(n, receives, indx, MPI_STATUS_IGNORE, ierror)
  call check(indx == MPI_UNDEFINED, 'Waitany without requests')
  call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierror)

  call start
  done = 0
  seen = .false.
  do while (done < n)
    call MPI_Testsome(n, receives, i, indices, statuses, ierror)
    call check(i >= 0, 'Testsome')
    if (i > 0) then
      call check(all(statuses(MPI_TAG, 1:i) == indices(1:i)), 'statuses of Testsome')
      seen(indices(1:i)) = .true.
      done = done + i
    end if
  end do
  call check(all(seen), 'Testsome completes each')
  call MPI_Waitall(n, sends, statuses, ierror)

  call start
  call MPI_Waitsome(n, receives, done, indices, MPI_STATUSES_IGNORE, ierror)
  call check(done >= 1 .and. all(indices(1:done) >= 1), 'Waitsome')
  call MPI_Waitall(n, receives, statuses, ierror)
  do
    call MPI_Testall(n, sends, flag, MPI_STATUSES_IGNORE, ierror)
    if (flag) exit
  end do
  call MPI_Testany(n, sends, indx, flag, status, ierror)
  call check(flag .and. indx == MPI_UNDEFINED, 'Testany without requests')

  call start
  do
    call MPI_Request_get_status(receives(1), flag, status, ierror)
    if (flag) exit
  end do
  call check(status(MPI_TAG) == 1, 'Request_get_status')
  do
    call MPI_Request_get_status_any(n, receives, indx, flag, status, ierror)
    if (flag) exit
  end do
  call check(indx >= 1 .and. indx <= n .and. status(MPI_TAG) == indx, 'Request_get_status_any')
  do
    call MPI_Testany(n, receives, indx, flag, status, ierror)
    if (flag) exit
  end do
  call check(indx >= 1 .and. indx <= n .and. status(MPI_TAG) == indx, 'Testany')
  call MPI_Waitall(n, receives, MPI_STATUSES_IGNORE, ierror)
  call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierror)

  call MPI_Send_init(values, n, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, persistent(1), ierror)
  call MPI_Recv_init(got, n, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, persistent(2), ierror)
  do i = 1, 3
    values = i
    got = 0
    call MPI_Startall(2, persistent, ierror)
    call MPI_Waitall(2, persistent, statuses, ierror)
    call check(all(got == i), 'persistent')
  end do
  call MPI_Request_free(persistent(1), ierror)
  call MPI_Request_free(persistent(2), ierror)

  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, indx, ierror)
  call MPI_Cancel(indx, ierror)
  call MPI_Wait(indx, status, ierror)
  call MPI_Test_cancelled(status, flag, ierror)
  call check(flag, 'Test_cancelled')
  call MPI_Iprobe(MPI_ANY_SOURCE, 78, MPI_COMM_WORLD, flag, status, ierror)
  call check(.not. flag, 'Iprobe')
  call finish
contains
  subroutine start
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    do i = 1, n
      call MPI_Irecv(got(i), 1, MPI_INTEGER, mod(rank + size - 1, size), i, MPI_COMM_WORLD, receives(i), ierror)
    end do
    do i = 1, n
      call MPI_Isend(values(i), 1, MPI_INTEGER, mod(rank + 1, size), i, MPI_COMM_WORLD, sends(i), ierror)
    end do
  end subroutine
end program
