! mpi_f08: sections that are not contiguous, in blocking and nonblocking calls; pointers, allocatables, large counts. What
! the standard says of those that outlast the call is in lasting_sections_f08.f90.
! ranks: 1 2 3 4
! with: ../check.f90
program sections_f08
  use mpi_f08
  use checks
  implicit none
  integer :: rank, size, next, previous, i, expected(4)
  integer :: a(4, 5), b(4, 5), cube(3, 3, 3)
  integer, allocatable :: gathered(:, :)
  integer, pointer :: row(:)
  integer, target :: store(4, 6)
  integer(MPI_COUNT_KIND) :: large
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2), request
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  a = reshape([(100*rank + i, i=1, 20)], [4, 5])
  expected = [(100*previous + i, i=1, 4)]

  b = -1
  call MPI_Sendrecv(a(2:4:2, ::2), 6, MPI_INTEGER, next, 1, b(1:3:2, 1:5:2), 6, MPI_INTEGER, previous, 1, &
    MPI_COMM_WORLD, status)
  call check(b(1, 1) == 100*previous + 2 .and. b(3, 1) == 100*previous + 4 .and. b(3, 5) == 100*previous + 20, 'Sendrecv')
  call check(all(b(2:4:2, :) == -1) .and. all(b(:, 2:4:2) == -1), 'Sendrecv writes the section alone')
  call check(status%MPI_SOURCE == previous .and. status%MPI_TAG == 1, 'status')

  b = -1
  call MPI_Irecv(b(3, :), 5, MPI_INTEGER, previous, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(a(4, :), 5, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(b(3, :) == [(100*previous + 4*i, i=1, 5)]) .and. count(b == -1) == 15, 'Isend and Irecv')

  b = -1
  call MPI_Irecv(b(4:1:-1, 2), 3, MPI_INTEGER, previous, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(a(:, 1), 3, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(b(4:2:-1, 2) == expected(1:3)) .and. b(1, 2) == -1, 'a section that runs backwards')

  allocate (gathered(2*size, 3))
  gathered = 0
  call MPI_Gather(a(1:4:3, 1), 2, MPI_INTEGER, gathered(:, 2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0) call check(all(gathered(:, 2) == [(100*(i/2) + merge(1, 4, mod(i, 2) == 0), i=0, 2*size - 1)]), 'Gather')
  gathered(1:2*size:2, 1) = rank
  call MPI_Allreduce(MPI_IN_PLACE, gathered(1:2*size:2, 1), size, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(all(gathered(1::2, 1) == size*(size - 1)/2) .and. all(gathered(2::2, 1) == 0), 'Allreduce in place')

  cube = reshape([(i, i=1, 27)], [3, 3, 3])
  if (rank /= 0) cube = 0
  call MPI_Bcast(cube(2, ::2, ::2), 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call check(all(cube(2, ::2, ::2) == reshape([2, 8, 20, 26], [2, 2])), 'Bcast of a section of rank 3')

  b = rank
  call MPI_Ibcast(b(2, :), 5, MPI_INTEGER, size - 1, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(b(2, :) == size - 1) .and. count(b == rank) >= 15, 'Ibcast')
  deallocate (gathered)
  allocate (gathered(3, size))
  call MPI_Iallgather(a(1, 1:5:2), 3, MPI_INTEGER, gathered, 3, MPI_INTEGER, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(gathered(2, :) == [(100*i + 9, i=0, size - 1)]) .and. all(gathered(3, :) == gathered(1, :) + 16), 'Iallgather')
  b = -1
  call MPI_Scatter_init(gathered, 3, MPI_INTEGER, b(3, ::2), 3, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request)
  do i = 1, 2
    call MPI_Start(request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end do
  call MPI_Request_free(request)
  call check(all(b(3, ::2) == 100*rank + [1, 9, 17]) .and. count(b == -1) == 17, 'Scatter_init')

  store = rank
  row => store(2, ::2)
  call MPI_Bcast(row, 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call check(all(store(2, ::2) == 0) .and. all(store(1, :) == rank), 'pointer')

  large = 4
  call MPI_Sendrecv(a(:, 1), large, MPI_INTEGER, next, 4, b(:, 2), large, MPI_INTEGER, previous, 4, MPI_COMM_WORLD, status)
  call check(all(b(:, 2) == expected), 'large counts')
  call MPI_Get_count(status, MPI_INTEGER, large)
  call check(large == 4, 'Get_count with a large count')

  call finish
end program
