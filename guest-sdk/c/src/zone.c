/* Time zones. */
#include <rankine/weak.h>
#include <time.h>

/* The only time zone is UTC. */
WEAK char *tzname[2] = {"UTC", "UTC"};
WEAK long timezone = 0;
WEAK int daylight = 0;
WEAK void tzset(void) {}
