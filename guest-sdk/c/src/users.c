/* One ordinary user and group, whose name and home come from the environment. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <rankine/weak.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID = 1000 };

WEAK uid_t getuid(void) { return ID; }
WEAK uid_t geteuid(void) { return ID; }
WEAK gid_t getgid(void) { return ID; }
WEAK gid_t getegid(void) { return ID; }

WEAK int getgroups(int size, gid_t *list) {
	if (size > 0)
		list[0] = ID;
	return 1;
}

/* Becoming who one is works, becoming somebody else does not. */
static int become(unsigned id) {
	if (id == ID || id == (unsigned)-1)
		return 0;
	errno = EPERM;
	return -1;
}
WEAK int setuid(uid_t id) { return become(id); }
WEAK int seteuid(uid_t id) { return become(id); }
WEAK int setgid(gid_t id) { return become(id); }
WEAK int setegid(gid_t id) { return become(id); }
WEAK int setreuid(uid_t real, uid_t effective) { return become(real) || become(effective) ? -1 : 0; }
WEAK int setregid(gid_t real, gid_t effective) { return become(real) || become(effective) ? -1 : 0; }

static const char *or_else(const char *name, const char *other) {
	const char *value = getenv(name);
	return value && *value ? value : other;
}

static const char *user(void) { return or_else("USER", or_else("LOGNAME", "guest")); }

WEAK struct passwd *getpwuid(uid_t id) {
	static struct passwd entry;
	if (id != ID)
		return NULL;
	entry = (struct passwd){(char *)user(), "x", ID, ID, (char *)user(), (char *)or_else("HOME", "/"), "/bin/sh"};
	return &entry;
}

WEAK struct passwd *getpwnam(const char *name) { return strcmp(name, user()) == 0 ? getpwuid(ID) : NULL; }

static int copy_out(struct passwd *found, struct passwd *entry, struct passwd **result) {
	*result = NULL;
	if (found) {
		*entry = *found;
		*result = entry;
	}
	return 0;
}

/* The strings are the environment's own, so the caller's buffer is not needed. */
WEAK int getpwuid_r(uid_t id, struct passwd *entry, char *buffer, size_t size, struct passwd **result) {
	(void)buffer, (void)size;
	return copy_out(getpwuid(id), entry, result);
}
WEAK int getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size, struct passwd **result) {
	(void)buffer, (void)size;
	return copy_out(getpwnam(name), entry, result);
}

WEAK struct group *getgrgid(gid_t id) {
	static char *members[2];
	static struct group entry = {"users", "x", ID, members};
	members[0] = (char *)user();
	return id == ID ? &entry : NULL;
}

WEAK struct group *getgrnam(const char *name) { return strcmp(name, "users") == 0 ? getgrgid(ID) : NULL; }

WEAK char *getlogin(void) { return (char *)user(); }

WEAK int getlogin_r(char *buffer, size_t size) {
	if (strlen(user()) >= size)
		return ERANGE;
	strcpy(buffer, user());
	return 0;
}

WEAK char *ttyname(int file) { (void)file; errno = ENOTTY; return NULL; }
WEAK int ttyname_r(int file, char *buffer, size_t size) { (void)file, (void)buffer, (void)size; return ENOTTY; }
WEAK char *getpass(const char *prompt) { (void)prompt; errno = ENXIO; return NULL; }
WEAK int sethostname(const char *name, size_t length) { (void)name, (void)length; errno = EPERM; return -1; }

WEAK int getdomainname(char *buffer, size_t size) {
	if (size > 0)
		*buffer = 0;
	return 0;
}
