/* The older name of the header. */
#include <sys/statfs.h>
