/* One group. */
#ifndef RANKINE_GRP_H
#define RANKINE_GRP_H

#include <sys/cdefs.h>
#include <sys/types.h>

struct group {
	char *gr_name, *gr_passwd;
	gid_t gr_gid;
	char **gr_mem;
};

__BEGIN_DECLS
struct group *getgrgid(gid_t);
struct group *getgrnam(const char *);
__END_DECLS

#endif
