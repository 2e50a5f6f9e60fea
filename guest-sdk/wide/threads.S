# What programs with threads need whose addresses have 64 bits: where a thread begins, and a stack that the host can see.

	.text
	.globaltype	__stack_pointer, i64
	.globaltype	__tls_base, i64

# ---- where a thread begins ----

# The host calls it in an instance of the thread's own, with the thread's number and the address of what pthread_create has laid out
# for it, where its stack comes first and its own variables second (struct start_args of wasi-libc's pthread_create.c).

	.export_name	wasi_thread_start, wasi_thread_start
	.functype	__wasi_thread_start_C (i32, i64) -> ()

	.hidden	wasi_thread_start
	.globl	wasi_thread_start
	.type	wasi_thread_start,@function
wasi_thread_start:
	.functype	wasi_thread_start (i32, i64) -> ()
	local.get	1
	i64.load	0
	global.set	__stack_pointer
	local.get	1
	i64.load	8
	global.set	__tls_base

	local.get	0
	local.get	1
	call	__wasi_thread_start_C

# The thread has left the list of threads, whose lock it still holds: whoever joins it may free its stack as soon as that is given
# back, so no C is left to run.
	i64.const	__thread_list_lock
	i32.const	0
	i32.atomic.store	0
	i64.const	__thread_list_lock
	i32.const	1
	memory.atomic.notify	0
	drop
	end_function

# ---- a stack that the host can see ----

# The host's WASI sees the lowest 4 GiB, and the stack of a thread of a large program may lie above them. Then one is borrowed that
# doesn't, for the call; what lies on it is copied from and to where it belongs (wasi.c).

	.functype	__rankine_borrow_stack () -> (i64)
	.functype	__rankine_give_back_stack (i64) -> ()

	.macro	PASS words:vararg
	.irp	word, \words
	local.get	\word
	.endr
	.endm

# The body of a function that has another one, or one through a pointer, do the work; behind its parameters it has room for three
# words.
	.macro	ON_LOW_STACK own, borrowed, result, call:vararg
	.local	i64, i64, i32
	global.get	__stack_pointer
	local.tee	\own
	i64.const	0xffffffff
	i64.le_u
	if
	\call
	return
	end_if
	call	__rankine_borrow_stack
	local.tee	\borrowed
	global.set	__stack_pointer
	\call
	local.set	\result
	local.get	\own
	global.set	__stack_pointer
	local.get	\borrowed
	call	__rankine_give_back_stack
	local.get	\result
	end_function
	.endm

	.macro	CALL name, words:vararg
	PASS	\words
	call	__rankine_near_\name
	.endm

	.macro	WASI name, types, own, borrowed, result, words:vararg
	.functype	__rankine_near_\name (\types) -> (i32)
	.globl	__wasi_\name
	.type	__wasi_\name,@function
__wasi_\name:
	.functype	__wasi_\name (\types) -> (i32)
	ON_LOW_STACK	\own, \borrowed, \result, CALL \name, \words
	.endm

	WASI	args_get, "i64, i64", 2, 3, 4, 0, 1
	WASI	args_sizes_get, "i64, i64", 2, 3, 4, 0, 1
	WASI	environ_get, "i64, i64", 2, 3, 4, 0, 1
	WASI	environ_sizes_get, "i64, i64", 2, 3, 4, 0, 1
	WASI	clock_res_get, "i32, i64", 2, 3, 4, 0, 1
	WASI	clock_time_get, "i32, i64, i64", 3, 4, 5, 0, 1, 2
	WASI	fd_fdstat_get, "i32, i64", 2, 3, 4, 0, 1
	WASI	fd_filestat_get, "i32, i64", 2, 3, 4, 0, 1
	WASI	fd_pread, "i32, i64, i64, i64, i64", 5, 6, 7, 0, 1, 2, 3, 4
	WASI	fd_prestat_get, "i32, i64", 2, 3, 4, 0, 1
	WASI	fd_prestat_dir_name, "i32, i64, i64", 3, 4, 5, 0, 1, 2
	WASI	fd_pwrite, "i32, i64, i64, i64, i64", 5, 6, 7, 0, 1, 2, 3, 4
	WASI	fd_read, "i32, i64, i64, i64", 4, 5, 6, 0, 1, 2, 3
	WASI	fd_readdir, "i32, i64, i64, i64, i64", 5, 6, 7, 0, 1, 2, 3, 4
	WASI	fd_seek, "i32, i64, i32, i64", 4, 5, 6, 0, 1, 2, 3
	WASI	fd_tell, "i32, i64", 2, 3, 4, 0, 1
	WASI	fd_write, "i32, i64, i64, i64", 4, 5, 6, 0, 1, 2, 3
	WASI	path_create_directory, "i32, i64", 2, 3, 4, 0, 1
	WASI	path_filestat_get, "i32, i32, i64, i64", 4, 5, 6, 0, 1, 2, 3
	WASI	path_filestat_set_times, "i32, i32, i64, i64, i64, i32", 6, 7, 8, 0, 1, 2, 3, 4, 5
	WASI	path_link, "i32, i32, i64, i32, i64", 5, 6, 7, 0, 1, 2, 3, 4
	WASI	path_open, "i32, i32, i64, i32, i64, i64, i32, i64", 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7
	WASI	path_readlink, "i32, i64, i64, i64, i64", 5, 6, 7, 0, 1, 2, 3, 4
	WASI	path_remove_directory, "i32, i64", 2, 3, 4, 0, 1
	WASI	path_rename, "i32, i64, i32, i64", 4, 5, 6, 0, 1, 2, 3
	WASI	path_symlink, "i64, i32, i64", 3, 4, 5, 0, 1, 2
	WASI	path_unlink_file, "i32, i64", 2, 3, 4, 0, 1
	WASI	poll, "i64, i64, i64, i64", 4, 5, 6, 0, 1, 2, 3
	WASI	random_get, "i64, i64", 2, 3, 4, 0, 1
	WASI	sock_accept, "i32, i32, i64", 3, 4, 5, 0, 1, 2
	WASI	sock_recv, "i32, i64, i64, i32, i64, i64", 6, 7, 8, 0, 1, 2, 3, 4, 5
	WASI	sock_send, "i32, i64, i64, i32, i64", 5, 6, 7, 0, 1, 2, 3, 4

# int __rankine_on_low_stack(int (*function)(void *), void *argument): for what the SDK library itself asks the host.
	.functype	__rankine_call (i64, i64) -> (i32)

	.macro	CALL_POINTER
	PASS	0, 1
	call	__rankine_call
	.endm

	.globl	__rankine_on_low_stack
	.type	__rankine_on_low_stack,@function
__rankine_on_low_stack:
	.functype	__rankine_on_low_stack (i64, i64) -> (i32)
	ON_LOW_STACK	2, 3, 4, CALL_POINTER
