#include "mangled.h"

/* As much C is written that Fortran calls: it does not know of the length behind the string. */
double FortranCInterface_GLOBAL(total, TOTAL)(const double *numbers, const int *count, const char *name)
{
	double sum = 0;
	for (int i = 0; i < *count && name[0] == 'a'; i++)
		sum += numbers[i];
	return sum;
}
