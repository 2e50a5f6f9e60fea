/* Absolute paths, and the working folder. The C library takes "/tmp" and "tmp" for one name: it looks for both in the folders
 * that were granted, of which "." may be one. The host knows better where an absolute path leads: to a device or the rank's own
 * /tmp, or to a granted folder that the path names as the machine does. */
#include <errno.h>
#include <rankine/weak.h>
#include <rankine/word.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The descriptor by which such a path is asked for, and how many of its bytes to leave out. */
__attribute__((import_module("rankine_files"), import_name("place")))
int rankine_place(rankine_word path, rankine_word length, rankine_word left_out);

/* The C library's: the folder whose name a path begins with, and the rest; the name of the working folder. */
int __wasilibc_find_abspath(const char *path, const char **name, const char **rest);
extern char *__wasilibc_cwd;

/* The working folder was reached by an absolute path, so its name is one. */
static bool is_elsewhere;

/* Writes the rest of a path to the buffer of those that ask. */
static bool keep(const char *rest, char **buffer, size_t *size, int may_grow) {
	size_t needed = strlen(rest) + 1;
	if (needed > *size) {
		char *larger = may_grow ? realloc(*buffer, needed) : NULL;
		if (!larger) {
			errno = may_grow ? ENOMEM : ERANGE;
			return false;
		}
		*buffer = larger;
		*size = needed;
	}
	memcpy(*buffer, rest, needed);
	return true;
}

/* No path is longer. */
enum { LONGEST = 4096 };

struct placed { const char *path; uint32_t left_out; };

static int ask_for_place(void *argument) {
	struct placed *asked = argument;
	uint32_t left_out = 0;
	/* The host sees the lowest 4 GiB, where the stack is. */
	bool is_far = (uintptr_t)asked->path > UINT32_MAX;
	size_t length = strnlen(asked->path, LONGEST + 1);
	const char *seen = is_far ? memcpy(__builtin_alloca(length), asked->path, length) : asked->path;
	int found = rankine_place(word_of(seen), (rankine_word)length, word_of(&left_out));
	asked->left_out = left_out;
	return found;
}

/* The folder in which a path lies that begins at the working folder or at the root. */
static int find(const char *path, bool is_absolute, const char **name, char **buffer, size_t *size, int may_grow) {
	const char *rest = ".";
	/* The C library takes "./../b" for a path below ".", which it is not. */
	while (path[0] == '.' && path[1] == '/' && strspn(path + 1, "/") < strlen(path + 1))
		path += 1 + strspn(path + 1, "/");
	int folder = __wasilibc_find_abspath(path, name, &rest);
	if (is_absolute && (folder < 0 || !**name)) {
		struct placed asked = {path, 0};
		int found = __rankine_on_low_stack(ask_for_place, &asked);
		if (asked.left_out) {
			rest = path + asked.left_out;
			rest += strspn(rest, "/");
			rest = *rest ? rest : ".";
		}
		if (folder >= 0 || asked.left_out) {
			folder = found;
			*name = "";
		}
	}
	return folder >= 0 && !keep(rest, buffer, size, may_grow) ? -1 : folder;
}

/* It takes the place of the C library's, which it has with chdir only. */
int __wasilibc_find_relpath_alloc(const char *path, const char **name, char **buffer, size_t *size, int may_grow) {
	bool is_at_start = !__wasilibc_cwd[0] || !__wasilibc_cwd[1];
	if (*path == '/' || is_at_start)
		return find(path, *path == '/', name, buffer, size, may_grow);
	char whole[strlen(__wasilibc_cwd) + strlen(path) + 2];
	stpcpy(stpcpy(stpcpy(whole, __wasilibc_cwd), "/"), path);
	return find(whole, is_elsewhere, name, buffer, size, may_grow);
}

/* Whoever has no chdir asks by this name; the linker puts it before the library's (--wrap), so that this file is linked. */
int __wrap___wasilibc_find_relpath(const char *path, const char **name, char **buffer, size_t size) {
	return __wasilibc_find_relpath_alloc(path, name, buffer, &size, 0);
}

/* Appends the names of a path to another one, without its dots. */
static void walk(char *to, const char *path) {
	while (*path) {
		size_t length = strcspn(path, "/");
		if (length == 2 && path[0] == '.' && path[1] == '.') {
			char *last = strrchr(to, '/');
			if (last)
				*last = 0;
		} else if (length > 1 || (length == 1 && *path != '.')) {
			size_t before = strlen(to);
			to[before] = '/';
			memcpy(to + before + 1, path, length);
			to[before + 1 + length] = 0;
		}
		path += length;
		path += strspn(path, "/");
	}
}

WEAK int chdir(const char *path) {
	static char *own;
	struct stat status;
	if (stat(path, &status) != 0)
		return -1;
	if (!S_ISDIR(status.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	bool is_absolute = *path == '/';
	char *name = malloc(strlen(__wasilibc_cwd) + strlen(path) + 3);
	if (!name)
		return -1;
	*name = 0;
	if (!is_absolute)
		walk(name, __wasilibc_cwd);
	walk(name, path);
	if (!*name)
		strcpy(name, "/");
	is_elsewhere = name[1] && (is_absolute || is_elsewhere);
	__wasilibc_cwd = name;
	free(own);
	own = name;
	return 0;
}
