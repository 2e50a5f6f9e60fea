"""What Rankine adds to Python: the live view (`rankine.view`), and arrays that are distributed over ranks (`rankine.arrays`)."""
