# A Meson project in Fortran, with a module in a library, MPI as a dependency and a test.
mkdir src
cat > meson.build <<'END'
project('orbit', 'fortran', meson_version: '>= 0.60')

mpi = dependency('mpi', language: 'fortran')
bodies = static_library('bodies', 'src/bodies.f90', dependencies: mpi)
orbit = executable('orbit', 'src/main.f90', link_with: bodies, dependencies: mpi)
test('orbit', orbit)
END
cat > src/bodies.f90 <<'END'
module bodies
  use mpi_f08
  implicit none
contains
  subroutine total(mass)
    real(8), intent(inout) :: mass
    call MPI_Allreduce(MPI_IN_PLACE, mass, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end subroutine
end module
END
cat > src/main.f90 <<'END'
program orbit
  use mpi_f08
  use bodies
  implicit none
  integer :: rank, ranks
  real(8) :: mass
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  mass = rank + 1
  call total(mass)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank == 0) print '(a, i0, a, f0.1)', 'ranks ', ranks, ', mass ', mass
  call MPI_Finalize()
end program
END
meson setup --cross-file "$(rankine sdk meson-cross-file)" build > meson.log 2>&1 || { cat meson.log build/meson-logs/meson-log.txt; exit 1; }
meson test -C build > test.log 2>&1 || { cat test.log; exit 1; }
diff - <(rankine run -n 4 build/orbit) <<< "ranks 4, mass 10.0"
