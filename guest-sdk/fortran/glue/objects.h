/* What the functions behind the module rankine share. */
#pragma once

#include "glue.h"
#include <rankine.h>

struct derived_type;

/* Says on the standard error stream what is wrong, and leaves it to the communicator's error handler. */
int rankine_fail(MPI_Comm comm, int class, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The table of a variable's type (type_info.h); null if it is not of derived type. */
static inline const struct derived_type *rankine_information(const CFI_cdesc_t *variable)
{
    return variable->extra & 1 ? *(const struct derived_type *const *)&variable->dim[variable->rank] : NULL;
}

/* The description of a variable's type, which is made if there is none. */
int rankine_type_of(const CFI_cdesc_t *variable, MPI_Comm comm, Rankine_Type *type);

/* Makes allocatables of objects, and pointers that travel or are weak, refer to nothing. */
void rankine_nullify(const CFI_cdesc_t *variable, void *objects, int count);
