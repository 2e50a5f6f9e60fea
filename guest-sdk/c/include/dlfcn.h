/* Adds dladdr. Nothing can be loaded at run time: dlopen fails and dlerror says so. */
#include_next <dlfcn.h>
#ifndef RANKINE_DLFCN_H
#define RANKINE_DLFCN_H

#include <sys/cdefs.h>

typedef struct {
	const char *dli_fname;
	void *dli_fbase;
	const char *dli_sname;
	void *dli_saddr;
} Dl_info;

__BEGIN_DECLS
int dladdr(const void *, Dl_info *);
__END_DECLS

#endif
