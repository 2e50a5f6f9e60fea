! Fortran 77 whose reals are made wide: MPI_WTIME is a double all the same.
! ranks: 1 2
! with: ../check.f90
! cc: -fdefault-real-8
      PROGRAM WIDE
      USE CHECKS
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER IERR
      REAL X, T
      CALL MPI_INIT(IERR)
      T = MPI_WTIME()
      CALL CHECK(T .GT. 0, 'MPI_WTIME')
      CALL CHECK(MPI_WTICK() .GT. 0 .AND. MPI_WTICK() .LT. 1, 'TICK')
      X = 1.5
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, X, 1, MPI_DOUBLE_PRECISION,
     &                   MPI_MAX, MPI_COMM_WORLD, IERR)
      CALL CHECK(X .EQ. 1.5, 'ALLREDUCE')
      CALL FINISH
      END
