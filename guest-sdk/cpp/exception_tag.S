# The tag that C++ exceptions are thrown with: one for the whole program, carrying the address of the exception.
#ifdef __wasm64__
#define ADDRESS i64
#else
#define ADDRESS i32
#endif
	.globl	__cpp_exception
	.tagtype	__cpp_exception ADDRESS
__cpp_exception:
