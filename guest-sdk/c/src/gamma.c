/* An old name of lgamma. */
#include <math.h>
#include <rankine/weak.h>

WEAK double gamma(double x) { return lgamma(x); }
