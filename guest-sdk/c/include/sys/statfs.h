/* Linux's form of statvfs. */
#ifndef RANKINE_SYS_STATFS_H
#define RANKINE_SYS_STATFS_H

#include <sys/cdefs.h>
#include <sys/types.h>

struct statfs {
	unsigned long f_type, f_bsize, f_frsize, f_flags, f_namelen;
	unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	struct { int __val[2]; } f_fsid;
};

__BEGIN_DECLS
int statfs(const char *, struct statfs *);
int fstatfs(int, struct statfs *);
__END_DECLS

#endif
