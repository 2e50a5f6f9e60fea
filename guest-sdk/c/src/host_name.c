/* The name of the machine: what the user passes as HOSTNAME. MPI_Get_processor_name tells the real one. */
#include <errno.h>
#include <rankine/weak.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

WEAK int gethostname(char *buffer, size_t size) {
	const char *name = getenv("HOSTNAME");
	if (!name || !*name)
		name = "localhost";
	if (strlen(name) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(buffer, name);
	return 0;
}
