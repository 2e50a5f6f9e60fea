/* ftw: nftw without what it tells of its own. */
#define _GNU_SOURCE
#include <ftw.h>
#include <rankine/weak.h>

#ifdef _REENTRANT
#define OF_THREAD _Thread_local
#else
#define OF_THREAD
#endif

typedef int visitor(const char *, const struct stat *, int);
static OF_THREAD visitor *current;

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place) {
	(void)place;
	return current(path, status, kind == FTW_SLN ? FTW_SL : kind);
}

/* What it calls may walk as well. */
WEAK int ftw(const char *path, visitor *each, int files) {
	visitor *before = current;
	current = each;
	int result = nftw(path, visit, files, 0);
	current = before;
	return result;
}
