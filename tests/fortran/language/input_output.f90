! Formatted, list-directed, namelist, internal, stream and direct input and output; scratch files; errors by IOSTAT.
! ranks: 1
! reference: flang
! run: --dir {scratch}::.
! stdin: 5 'quoted text' 2*1.5 T
program input_output
  implicit none
  integer :: i, n, unit, status, items(3), record
  real :: pair(2)
  real(8) :: x
  logical :: flag
  character(len=20) :: text
  character(len=80) :: line, message
  complex :: z
  namelist /settings/ n, x, text, items, flag
  read (*, *) n, text, pair, flag
  print *, n, trim(text), pair, flag
  n = 3; x = 2.5d0; text = 'plain'; items = [1, 2, 3]
  write (*, nml=settings)
  line = "&settings n=8, items(2)=20, text='changed' /"
  read (line, nml=settings)
  print *, n, items, text
  write (*, '(i5.3, f8.3, es12.4, e12.3e3, g10.3, l3, a5, 1x, z8.4, b6, o4)') &
    42, 3.14159, 12345.678, 0.00012, 1.5, .true., 'abc', 255, 5, 8
  write (*, '(3(i3, :, ","))') 1, 2
  write (*, '("x", t10, "y", tl3, "z", /, "next", 2x, "word")')
  write (*, '(*(g0, :, " "))') 1, 2.5, 'three', .false.
  print '(f0.2, sp, i4, ss, i4, bn)', 0.5, 7, 8
  open (newunit=unit, status='scratch', form='formatted')
  do i = 1, 4
    write (unit, '(i4, f8.2)') i, i*1.5
  end do
  rewind unit
  n = 0
  do
    read (unit, *, iostat=status) i, x
    if (status /= 0) exit
    n = n + 1
  end do
  print *, n, is_iostat_end(status), x
  close (unit)
  open (newunit=unit, file='rankine_stream.dat', access='stream', form='unformatted', status='replace')
  write (unit) 1_1, 2_2, 3_4, 'four', 5.0d0
  inquire (unit, size=n, pos=i)
  print *, n, i
  read (unit, pos=8) text(1:4)
  print *, text(1:4)
  close (unit, status='delete')
  open (newunit=unit, file='rankine_direct.dat', access='direct', recl=16, form='unformatted', status='replace')
  do record = 1, 5
    write (unit, rec=record) record, real(record), record*2.0d0
  end do
  read (unit, rec=4) i, pair(1), x
  print *, i, pair(1), x
  close (unit, status='delete')
  inquire (file='rankine_direct.dat', exist=flag)
  print *, flag
  line = 'bad'
  read (line, *, iostat=status, iomsg=message) i
  print *, status /= 0, len_trim(message) > 0
  open (newunit=unit, file='there/is/no/such', status='old', iostat=status)
  print *, status /= 0
  z = (1.5, -2.5)
  print *, z, 1.0e30, 1.0d-200, 123456789012345_8, huge(1), tiny(1.0)
  write (line, '(a, i0)') 'internal ', 77
  print *, trim(line), index(line, '77')
  write (*, '(a)', advance='no') 'one '
  write (*, '(a)') 'line'
end program
