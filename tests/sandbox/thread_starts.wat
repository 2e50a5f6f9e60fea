;; What a module does when it is instantiated happens for each thread too, before it begins: it traps, exits, recurses, throws, starts more
;; threads, calls MPI, takes memory. Such a thread is none, whoever wanted it is told so, and the rank goes on.
;; ranks: 1 2
;; engines: local
;; run: --memory-limit 64M
(module
  (import "env" "memory" (memory 2 512 shared))
  (export "memory" (memory 0))
  (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Initialized" (func $initialized (param i32) (result i32)))
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i32 i32) (result i32)))
  (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
  (import "mpi" "MPI_Abort" (func $abort (param i32 i32) (result i32)))
  (table $table 1 externref)
  (tag $thrown)
  ;; 0: which way the next thread goes; 4: threads that have begun; 8: those that were asked for and are none
  (data (i32.const 64) "OK\n")
  (data (i32.const 80) "\40\00\00\00\03\00\00\00")

  (func $deep (param i32) (result i32)
    (i32.add (i32.const 1) (call $deep (i32.add (local.get 0) (i32.const 1)))))

  (func $instantiated
    (block $done
      (block $9 (block $8 (block $7 (block $6 (block $5 (block $4 (block $3 (block $2 (block $1 (block $0
        (br_table $done $0 $1 $2 $3 $4 $5 $6 $7 $8 $9 $done (i32.atomic.load (i32.const 0))))
        ;; 1: traps
        (unreachable))
        ;; 2: ends the program
        (call $exit (i32.const 3)))
        ;; 3: goes down the stack
        (drop (call $deep (i32.const 0))) (br $done))
        ;; 4: throws
        (throw $thrown))
        ;; 5: starts a thread that traps there too
        (i32.atomic.store (i32.const 0) (i32.const 1))
        (if (i32.ge_s (call $spawn (i32.const 0)) (i32.const 0)) (then (drop (call $abort (i32.const 257) (i32.const 5)))))
        (unreachable))
        ;; 6: divides by zero
        (drop (i32.div_u (i32.const 1) (i32.atomic.load (i32.const 12)))) (br $done))
        ;; 7: reaches beyond its memory
        (drop (i32.load (i32.const -4))) (br $done))
        ;; 8: takes all the memory that there is, and traps
        (loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 1)) (i32.const 0))))
        (loop $more (br_if $more (i32.ge_s (table.grow $table (ref.null extern) (i32.const 4096)) (i32.const 0))))
        (unreachable))
        ;; 9: waits for a moment for what never comes, and traps
        (drop (memory.atomic.wait32 (i32.const 12) (i32.const 0) (i64.const 1000000)))
        (unreachable))
      ;; 10: asks MPI, and ends the program
      (drop (call $initialized (i32.const 32)))
      (call $exit (i32.const 3))))
  (start $instantiated)

  (func (export "wasi_thread_start") (param i32 i32)
    (drop (i32.atomic.rmw.add (i32.const 4) (i32.const 1))))

  (func (export "_start") (local $round i32)
    (if (call $init (i32.const 0) (i32.const 0)) (then (unreachable)))
    (loop $next
      (i32.atomic.store (i32.const 0) (i32.add (i32.rem_u (local.get $round) (i32.const 10)) (i32.const 1)))
      (if (i32.ge_s (call $spawn (i32.const 0)) (i32.const 0)) (then (drop (call $abort (i32.const 257) (i32.const 4)))))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $round) (i32.const 50))))
    ;; None of them has begun, and one that does nothing does.
    (if (i32.atomic.load (i32.const 4)) (then (unreachable)))
    (i32.atomic.store (i32.const 0) (i32.const 0))
    (if (i32.lt_s (call $spawn (i32.const 0)) (i32.const 0)) (then (unreachable)))
    (loop $until (br_if $until (i32.eqz (i32.atomic.load (i32.const 4)))))
    (if (call $barrier (i32.const 257)) (then (unreachable)))
    (drop (call $rank (i32.const 257) (i32.const 32)))
    (if (i32.eqz (i32.load (i32.const 32)))
      (then (drop (call $write (i32.const 1) (i32.const 80) (i32.const 1) (i32.const 96)))))
    (drop (call $finalize))))
