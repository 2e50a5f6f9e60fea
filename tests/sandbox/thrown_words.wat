;; An exception of C++ whose type_info the program has made up: its name has no end, and what() lies behind the memory. The trap is reported
;; all the same. Before it answers, the function that puts it in words receives, comes to a barrier, and grows the memory.
;; engines: local
;; ranks: 1 2
;; exit: 134
;; stderr: an exception was thrown that nothing catches
;; stderr-not: panicked
;; stderr-not: deadlock
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Recv" (func $recv (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
  (memory (export "memory") 1)
  (tag $cpp (export "__cpp_exception") (param i32))
  (func (export "rankine_uncaught") (param i32) (result i32)
    (drop (call $recv (i32.const 0) (i32.const 0) (i32.const 0x209) (i32.const 0) (i32.const 5) (i32.const 0x101) (i32.const 0)))
    (drop (call $barrier (i32.const 0x101)))
    (drop (memory.grow (i32.const 1)))
    (memory.fill (i32.const 64) (i32.const 0x53) (i32.const 130000))
    (i32.store (i32.const 16) (i32.const 64))
    (i32.store (i32.const 20) (i32.const -8))
    (i32.const 16))
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (throw $cpp (i32.const -1))))
