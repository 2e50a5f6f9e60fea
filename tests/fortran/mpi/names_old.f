! mpif.h: MPI_SIZEOF of what is passed, the kind of MPI_DISPLACEMENT_CURRENT, second names of datatypes, the environment's info.
! ranks: 1 2
! with: ../check.f90
      PROGRAM NAMOLD
      INCLUDE 'mpif.h'
      INTEGER N, IERR, INFO, AT
      REAL(8) X
      REAL(4) A(10)
      CHARACTER*3 C
      COMPLEX(8) Z
      LOGICAL FOUND
      COMMON /WRONG/ AT
      AT = 0
      CALL MPI_INIT(IERR)
      CALL MPI_SIZEOF(X, N, IERR)
      IF (N .NE. 8) AT = 1
      CALL MPI_SIZEOF(A, N, IERR)
      IF (N .NE. 4) AT = 2
      CALL PMPI_SIZEOF(Z, N, IERR)
      IF (N .NE. 16) AT = 3
      CALL MPI_SIZEOF(C, N, IERR)
      IF (N .NE. 3) AT = 4
      CALL MPI_SIZEOF(AT, N, IERR)
      IF (N .NE. 4) AT = 5
      IF (KIND(MPI_DISPLACEMENT_CURRENT) .NE. MPI_OFFSET_KIND) AT = 6
      IF (MPI_DISPLACEMENT_CURRENT .NE. -1) AT = 7
      IF (MPI_LONG_LONG_INT .NE. MPI_LONG_LONG) AT = 8
      IF (MPI_C_COMPLEX .NE. MPI_C_FLOAT_COMPLEX) AT = 9
      IF (MPI_T_ERR_INVALID .LE. MPI_SUCCESS) AT = 10
      CALL MPI_INFO_CREATE_ENV(INFO, IERR)
      IF (IERR .NE. MPI_SUCCESS .OR. INFO .EQ. MPI_INFO_NULL) AT = 11
      CALL MPI_INFO_FREE(INFO, IERR)
      CALL NAMED(FOUND)
      IF (.NOT. FOUND) AT = 12
      CALL FINAL
      END

! A procedure of its own includes it again.
      SUBROUTINE NAMED(FOUND)
      INCLUDE 'mpif.h'
      LOGICAL FOUND
      CHARACTER(MPI_MAX_OBJECT_NAME) NAME
      INTEGER LENGTH, IERR
      CALL MPI_TYPE_GET_NAME(MPI_C_COMPLEX, NAME, LENGTH, IERR)
      FOUND = IERR .EQ. MPI_SUCCESS .AND. LENGTH .GT. 0
      END

      SUBROUTINE FINAL
      USE checks
      COMMON /WRONG/ AT
      INTEGER AT
      CHARACTER*2 WHICH
      WRITE (WHICH, '(I2)') AT
      CALL CHECK(AT .EQ. 0, 'check '//WHICH)
      CALL FINISH
      END
