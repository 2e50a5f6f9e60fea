! Topologies: logical arrays, weights that are absent, ranges of groups, arrays that MPI fills.
! ranks: 1 2 3 4
! with: ../check.f90
program topologies
  use mpi_f08
  use checks
  implicit none
  type(MPI_Comm) :: grid, line, graph
  type(MPI_Group) :: world, some
  integer :: rank, size, dims(2), coords(2), n, sources(4), targets(4), weights(4), back(2), ranges(3, 1)
  integer :: indegree, outdegree, below, above, seen(4)
  logical :: periods(2), weighted
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call check(product(dims) == size, 'Dims_create')
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid)
  periods = .false.
  call MPI_Cart_get(grid, 2, back, periods, coords)
  call check(all(back == dims) .and. periods(1) .and. .not. periods(2), 'Cart_get')
  call MPI_Cart_rank(grid, coords, n)
  call check(n == rank, 'Cart_rank')
  call MPI_Cart_shift(grid, 1, 1, below, above)
  call check(coords(2) > 0 .or. below == MPI_PROC_NULL, 'Cart_shift')
  call MPI_Cart_sub(grid, [.true., .false.], line)
  call MPI_Comm_size(line, n)
  call check(n == dims(1), 'Cart_sub')
  sources(1) = mod(rank + size - 1, size)
  targets(1) = mod(rank + 1, size)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED, &
    MPI_INFO_NULL, .false., graph)
  call MPI_Dist_graph_neighbors_count(graph, indegree, outdegree, weighted)
  call check(indegree == 1 .and. outdegree == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
  seen = -1
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, seen, 1, MPI_INTEGER, graph)
  call check(seen(1) == sources(1), 'Neighbor_allgather')
  call MPI_Comm_free(graph)
  weights = 7
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, weights, 1, targets, weights, MPI_INFO_NULL, .false., &
    graph)
  call MPI_Dist_graph_neighbors_count(graph, indegree, outdegree, weighted)
  call check(weighted, 'weighted')
  seen = 0
  call MPI_Dist_graph_neighbors(graph, 1, sources, seen, 1, targets, weights)
  call check(seen(1) == 7 .and. weights(1) == 7, 'Dist_graph_neighbors')
  call MPI_Comm_free(graph)
  call MPI_Comm_group(MPI_COMM_WORLD, world)
  ranges(:, 1) = [0, size - 1, 2]
  call MPI_Group_range_incl(world, 1, ranges, some)
  call MPI_Group_size(some, n)
  call check(n == (size + 1)/2, 'Group_range_incl')
  call MPI_Group_translate_ranks(some, n, [(below*2 - below, below=0, n - 1)], world, seen)
  call check(all(seen(1:n) == [(2*below, below=0, n - 1)]), 'Group_translate_ranks')
  call MPI_Group_free(some)
  call MPI_Group_free(world)
  call MPI_Comm_free(line)
  call MPI_Comm_free(grid)
  call finish
end program
