! STOP gives the exit status, ERROR STOP too.
! ranks: 1
! exit: 7
! stderr: STOP
program stop_status
  print *, 'before'
  stop 7
end program
