! part: yes
      SUBROUTINE OTHER_FILLS
      INTEGER LARGE(1000), I, B(500)
      COMMON /SIZED/ LARGE
      COMMON B
      DO 10 I = 1, 1000
   10 LARGE(I) = LARGE(MAX(I-1, 1)) + 1
      DO 20 I = 4, 500
   20 B(I) = I
      END

      SUBROUTINE OTHER_SHOWS
      INTEGER LARGE(1000), B(500)
      COMMON /SIZED/ LARGE
      COMMON B
      CHARACTER*8 S
      PRINT *, LARGE(1), LARGE(500), LARGE(1000), B(1), B(500)
      WRITE (S, 100) 3.14159
  100 FORMAT (F8.3)
      PRINT *, S
      ASSIGN 30 TO LABEL
      GOTO LABEL
      PRINT *, 'not here'
   30 IF (LARGE(1) - 2) 40, 50, 60
   40 PRINT *, 'less'
      RETURN
   50 PRINT *, 'equal'
      RETURN
   60 PRINT *, 'more'
      END

      BLOCK DATA
      REAL X, Y
      COMMON /INITIAL/ X, Y
      DATA X, Y /1.5, -2.5/
      END
