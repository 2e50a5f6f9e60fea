/* Older allocators, and advice about memory that is taken and not followed. */
#include <errno.h>
#include <malloc.h>
#include <rankine/weak.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

WEAK void *memalign(size_t alignment, size_t size) {
	void *block = NULL;
	if (alignment < sizeof(void *))
		alignment = sizeof(void *);
	int error = posix_memalign(&block, alignment, size);
	if (error)
		errno = error;
	return error ? NULL : block;
}
WEAK void *valloc(size_t size) { return memalign((size_t)getpagesize(), size); }
WEAK int mallopt(int option, int value) { (void)option, (void)value; return 1; }
WEAK int malloc_trim(size_t keep) { (void)keep; return 0; }
WEAK struct mallinfo mallinfo(void) {
	int size = (int)(__builtin_wasm_memory_size(0) << 16);
	return (struct mallinfo){.arena = size, .uordblks = size};
}

WEAK int brk(void *end) { (void)end; errno = ENOMEM; return -1; }
WEAK int msync(void *start, size_t length, int flags) { (void)start, (void)length, (void)flags; return 0; }
WEAK int madvise(void *start, size_t length, int advice) { (void)start, (void)length, (void)advice; return 0; }
WEAK int posix_madvise(void *start, size_t length, int advice) { (void)start, (void)length, (void)advice; return 0; }
WEAK int mlock(const void *start, size_t length) { (void)start, (void)length; return 0; }
WEAK int munlock(const void *start, size_t length) { (void)start, (void)length; return 0; }
WEAK int mlockall(int flags) { (void)flags; return 0; }
WEAK int munlockall(void) { return 0; }

/* A mapping is a block, and of a file a copy: what is stored there reaches no file, so a mapping that should is refused. */
WEAK void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
	void *block;
	(void)address;
	if (protection & PROT_EXEC || flags & MAP_FIXED || length == 0) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (protection & PROT_WRITE && flags & MAP_SHARED && !(flags & MAP_ANON)) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	if (posix_memalign(&block, 65536, length) != 0) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	memset(block, 0, length);
	for (size_t done = 0; !(flags & MAP_ANON) && done < length;) {
		ssize_t bytes = pread(file, (char *)block + done, length - done, offset + (off_t)done);
		if (bytes < 0) {
			free(block);
			return MAP_FAILED;
		}
		if (bytes == 0)
			break;
		done += (size_t)bytes;
	}
	return block;
}
WEAK int munmap(void *address, size_t length) { (void)length; free(address); return 0; }
