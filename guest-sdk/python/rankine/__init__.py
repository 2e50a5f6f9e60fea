"""What Rankine adds to Python: the live view (`rankine.view`)."""
