;; A program with threads whose memory may have more than 4 GiB: a thread is started with an address above them, all threads see what
;; lies there and wait there for one another, what one has written is sent, and what it may not reach is a trap of the rank.
;; ranks: 2
;; exit: 0
;; stdout: OK
(module
  (import "env" "memory" (memory i64 2 200000 shared))
  (export "memory" (memory 0))
  (import "wasi" "thread-spawn_64" (func $spawn (param i64) (result i32)))
  (import "mpi" "MPI_Init" (func $init (param i64 i64) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i64 i64) (result i32)))
  (import "mpi" "MPI_Sendrecv" (func $sendrecv
    (param i64 i32 i64 i32 i32 i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (data (i64.const 1024) "OK\n")
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func $same (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then (unreachable))))

  ;; Adds 7 to what lies where it starts, and says that it is there.
  (func (export "wasi_thread_start") (param $number i32) (param $start i64)
    (drop (i64.atomic.rmw.add (local.get $start) (i64.const 7)))
    (drop (i32.atomic.rmw.add offset=8 (local.get $start) (i32.const 1)))
    (drop (memory.atomic.notify offset=8 (local.get $start) (i32.const 1))))

  (func (export "_start") (local $began i32) (local $other i32)
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $fine (call $rank (i64.const 0x101) (i64.const 128)))
    (local.set $other (i32.sub (i32.const 1) (i32.load (i64.const 128))))
    ;; 4 GiB and 8 pages more.
    (call $same (memory.grow (i64.const 65542)) (i64.const 2))
    (i64.store (i64.const 0x100000400) (i64.extend_i32_u (i32.load (i64.const 128))))
    (loop $next
      (if (i32.lt_s (call $spawn (i64.const 0x100000400)) (i32.const 1)) (then (unreachable)))
      (local.set $began (i32.add (local.get $began) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $began) (i32.const 3))))
    (loop $until
      (local.set $began (i32.atomic.load offset=8 (i64.const 0x100000400)))
      (drop (memory.atomic.wait32 offset=8 (i64.const 0x100000400) (local.get $began) (i64.const 1000000)))
      (br_if $until (i32.ne (local.get $began) (i32.const 3))))
    (call $fine (call $sendrecv
      (i64.const 0x100000400) (i32.const 1) (i64.const 0x20a) (local.get $other) (i32.const 3)
      (i64.const 0x10007fff8) (i32.const 1) (i64.const 0x20a) (local.get $other) (i32.const 3)
      (i64.const 0x101) (i64.const 0)))
    (call $same (i64.load (i64.const 0x10007fff8)) (i64.extend_i32_u (i32.add (local.get $other) (i32.const 21))))
    ;; What lies 4 GiB below is what it was.
    (call $same (i64.load (i64.const 0x400)) (i64.const 0x0a4b4f))
    (call $same (i64.load (i64.const 0x7fff8)) (i64.const 0))
    (if (i32.eqz (i32.load (i64.const 128)))
      (then
        (i32.store (i64.const 8) (i32.const 1024))
        (i32.store (i64.const 12) (i32.const 3))
        (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
    (call $fine (call $finalize))))
