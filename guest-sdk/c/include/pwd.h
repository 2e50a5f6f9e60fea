/* One user, whose name and home come from the environment. */
#ifndef RANKINE_PWD_H
#define RANKINE_PWD_H

#include <sys/cdefs.h>
#include <sys/types.h>

struct passwd {
	char *pw_name, *pw_passwd;
	uid_t pw_uid;
	gid_t pw_gid;
	char *pw_gecos, *pw_dir, *pw_shell;
};

__BEGIN_DECLS
struct passwd *getpwuid(uid_t);
struct passwd *getpwnam(const char *);
int getpwuid_r(uid_t, struct passwd *, char *, size_t, struct passwd **);
int getpwnam_r(const char *, struct passwd *, char *, size_t, struct passwd **);
__END_DECLS

#endif
