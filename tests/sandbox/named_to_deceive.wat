;; A function whose name would write to the terminal and begin a line of its own: the report shows it as one line of text.
;; engines: local
;; ranks: 1 2
;; exit: 3
;; stderr: rank 0 waits in MPI_Recv
;; stderr: called by evil?[31m?]0;title???rankine: rank 7 lies??32mabc (offset
;; stderr-not: panicked
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Recv" (func $recv (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $"evil\1b[31m\1b]0;title\07\0d\0arankine: rank 7 lies\u{85}\u{9b}32mabc"
    (drop (call $recv (i32.const 0) (i32.const 0) (i32.const 0x209) (i32.const 0) (i32.const 5) (i32.const 0x101) (i32.const 0))))
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (call $"evil\1b[31m\1b]0;title\07\0d\0arankine: rank 7 lies\u{85}\u{9b}32mabc")))
