/* Adds what programs ask glibc's allocator. */
#include_next <malloc.h>
#ifndef RANKINE_MALLOC_H
#define RANKINE_MALLOC_H

#include <sys/cdefs.h>

struct mallinfo {
	int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};

#define M_TRIM_THRESHOLD (-1)
#define M_TOP_PAD (-2)
#define M_MMAP_THRESHOLD (-3)
#define M_MMAP_MAX (-4)

__BEGIN_DECLS
void *memalign(size_t, size_t);
void *valloc(size_t);
struct mallinfo mallinfo(void);
int mallopt(int, int);
int malloc_trim(size_t);
__END_DECLS

#endif
