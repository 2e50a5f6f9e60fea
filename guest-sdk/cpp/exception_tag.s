# The tag that C++ exceptions are thrown with: one for the whole program, carrying the address of the exception.
	.globl	__cpp_exception
	.tagtype	__cpp_exception i32
__cpp_exception:
