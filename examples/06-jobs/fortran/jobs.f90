! A master scatters an array of jobs and gathers the results, as in a genetic algorithm: each job is a formula, a small graph, which
! its worker varies to come nearer to a curve. Formulas that several jobs have in common are shared, and stay so.
module formulas
  implicit none
  integer, parameter :: jobs = 40, kept = 10, generations = 6, tries = 60, points = 21, most_nodes = 40
  integer, parameter :: number = 0, variable = 1, sum_of = 2, product_of = 3, long = selected_int_kind(18)

  type formula
    integer :: kind = variable
    real(8) :: value = 0
    type(formula), pointer :: left => null(), right => null()
  end type
  type job
    type(formula), pointer :: formula => null()
    real(8) :: error = 0
    integer :: number = 0
  end type

  integer(long) :: state
contains
  integer function below(n)
    integer, intent(in) :: n
    state = state * 6364136223846793005_long + 1442695040888963407_long
    below = int(mod(iand(ishft(state, -33), 4294967295_long), int(n, long)))
  end function

  function node(kind, value, left, right) result(new)
    integer, intent(in) :: kind
    real(8), intent(in) :: value
    type(formula), pointer, intent(in) :: left, right
    type(formula), pointer :: new
    allocate(new)
    new = formula(kind, value, left, right)
  end function

  recursive function random_formula(depth) result(new)
    integer, intent(in) :: depth
    type(formula), pointer :: new, left, right
    integer :: kind
    nullify(left, right)
    kind = below(merge(2, 4, depth == 0))
    select case (kind)
    case (number)
      new => node(number, (below(81) - 40) / 10d0, left, right)
    case (variable)
      new => node(variable, 0d0, left, right)
    case default
      left => random_formula(depth - 1)
      right => random_formula(depth - 1)
      new => node(kind, 0d0, left, right)
    end select
  end function

  recursive integer function nodes(of) result(count)
    type(formula), pointer, intent(in) :: of
    count = 0
    if (associated(of)) count = 1 + nodes(of%left) + nodes(of%right)
  end function

  ! A copy in which the node with this number, counted from the root, is another formula.
  recursive function varied(of, which) result(new)
    type(formula), pointer, intent(in) :: of
    integer, intent(in) :: which
    type(formula), pointer :: new, left, right
    integer :: in_left
    nullify(new)
    if (.not. associated(of)) return
    if (which == 0) then
      new => random_formula(2)
      return
    end if
    in_left = nodes(of%left)
    left => varied(of%left, merge(which - 1, -1, which <= in_left))
    right => varied(of%right, merge(which - 1 - in_left, -1, which > in_left))
    new => node(of%kind, of%value, left, right)
  end function

  recursive real(8) function value(of, x) result(y)
    type(formula), intent(in) :: of
    real(8), intent(in) :: x
    select case (of%kind)
    case (number)
      y = of%value
    case (variable)
      y = x
    case (sum_of)
      y = value(of%left, x) + value(of%right, x)
    case default
      y = value(of%left, x) * value(of%right, x)
    end select
  end function

  real(8) function error_of(of) result(total)
    type(formula), intent(in) :: of
    real(8) :: x
    integer :: i
    total = 0
    do i = 0, points - 1
      x = (i - points / 2) / 5d0
      total = total + (value(of, x) - ((x * x - 2) * x + 1))**2
    end do
  end function

  subroutine work(on, generation)
    type(job), intent(inout) :: on
    integer, intent(in) :: generation
    type(formula), pointer :: next
    real(8) :: error
    integer :: i
    state = generation * 1000 + on%number
    on%formula => varied(on%formula, -1)   ! others may share it
    on%error = error_of(on%formula)
    do i = 1, tries
      next => varied(on%formula, below(nodes(on%formula)))
      error = error_of(next)
      if (nodes(next) <= most_nodes .and. error < on%error) then
        on%formula => next
        on%error = error
      end if
    end do
  end subroutine

  subroutine sort(all)
    type(job), intent(inout) :: all(:)
    type(job) :: one
    integer :: i, at
    do i = 2, size(all)
      one = all(i)
      do at = i - 1, 1, -1
        if (all(at)%error < one%error .or. (all(at)%error == one%error .and. all(at)%number < one%number)) exit
        all(at + 1) = all(at)
      end do
      all(at + 1) = one
    end do
  end subroutine
end module

program main
  use mpi_f08
  use rankine
  use formulas
  implicit none
  type(job) :: all(jobs), mine(jobs), results(jobs)
  type(formula), pointer :: any
  integer, allocatable :: counts(:)
  integer :: rank, ranks, generation, received, i
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate(any)
  call rankine_describe(any, transport='left right')
  call rankine_describe(all, transport='formula')

  counts = [(jobs * (i + 1) / ranks - jobs * i / ranks, i = 0, ranks - 1)]
  do i = 1, jobs
    all(i) = job(any, 0d0, i - 1)
  end do
  do generation = 0, generations - 1
    call rankine_scatter(all, counts, mine, 0, MPI_COMM_WORLD, received)
    do i = 1, received
      call work(mine(i), generation)
    end do
    call rankine_gather(mine(:received), results, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      call sort(results)
      print '(a,i0,a,i0,a,f0.4)', 'generation ', generation, ': the best formula has ', nodes(results(1)%formula), &
        ' nodes and an error of ', results(1)%error
      do i = 1, jobs
        all(i) = job(results(mod(i - 1, kept) + 1)%formula, 0d0, i - 1)
      end do
    end if
  end do
  call MPI_Finalize
end program
