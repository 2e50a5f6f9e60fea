/* Temporary files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <rankine/weak.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fills the six X before the suffix with random letters. */
static int fill(char *template, int suffix) {
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	size_t length = strlen(template);
	if (suffix < 0 || length < (size_t)suffix + 6 || memcmp(template + length - suffix - 6, "XXXXXX", 6) != 0) {
		errno = EINVAL;
		return -1;
	}
	unsigned char random[6];
	getentropy(random, sizeof random);
	for (int i = 0; i < 6; i++)
		template[length - suffix - 6 + i] = letters[random[i] % (sizeof letters - 1)];
	return 0;
}

enum { TRIES = 100 };

/* Calls make(template) with names until one is new. */
static int unique(char *template, int suffix, int (*make)(const char *, int), int flags) {
	char *x = template + strlen(template) - suffix - 6;
	for (int try = 0; try < TRIES; try++) {
		if (fill(template, suffix) != 0)
			return -1;
		int made = make(template, flags);
		if (made >= 0 || errno != EEXIST)
			return made;
		memcpy(x, "XXXXXX", 6);
	}
	return -1;
}

static int make_file(const char *path, int flags) { return open(path, flags | O_CREAT | O_EXCL | O_RDWR, 0600); }

static int make_folder(const char *path, int flags) { return mkdir(path, 0700 | flags); }

WEAK int mkostemps(char *template, int suffix, int flags) { return unique(template, suffix, make_file, flags); }
WEAK int mkstemps(char *template, int suffix) { return mkostemps(template, suffix, 0); }
WEAK int mkostemp(char *template, int flags) { return mkostemps(template, 0, flags); }
WEAK int mkstemp(char *template) { return mkostemps(template, 0, 0); }
WEAK char *mkdtemp(char *template) { return unique(template, 0, make_folder, 0) < 0 ? NULL : template; }

WEAK char *mktemp(char *template) {
	if (fill(template, 0) != 0)
		*template = 0;
	return template;
}

/* The folders for temporary files, in order; which of them exist depends on what the user granted. */
static const char *const folders[] = {"/tmp", "/var/tmp", "."};

static const char *temporary_folder(void) {
	const char *wish = getenv("TMPDIR");
	if (wish && access(wish, W_OK) == 0)
		return wish;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (access(folders[i], W_OK) == 0)
			return folders[i];
	return "/tmp";
}

WEAK char *tempnam(const char *folder, const char *prefix) {
	char *name;
	if (asprintf(&name, "%s/%sXXXXXX", folder ? folder : temporary_folder(), prefix ? prefix : "file") < 0)
		return NULL;
	return mktemp(name);
}

WEAK char *tmpnam(char *buffer) {
	static char own[L_tmpnam];
	char *name = buffer ? buffer : own;
	strcpy(name, "/tmp/tmpXXXXXX");
	return mktemp(name);
}

WEAK FILE *tmpfile(void) {
	char *name = tempnam(NULL, "tmp");
	if (!name)
		return NULL;
	int file = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	if (file >= 0)
		unlink(name);
	free(name);
	return file < 0 ? NULL : fdopen(file, "w+");
}
