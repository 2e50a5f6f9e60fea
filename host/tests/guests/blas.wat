;; Multiplies and factors by the host: status 0 if the host does so and is right, 5 if it does not, 6 and 7 if it is wrong.
(module
    (import "rankine_math" "dgemm"
        (func $dgemm (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
    (import "rankine_math" "dgetrf" (func $dgetrf (param i32 i32 i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "nT")
    (func $unless (param $holds i32) (param $status i32)
        (if (i32.eqz (local.get $holds)) (then (call $exit (local.get $status)))))
    (func (export "_start")
        (i32.store (i32.const 8) (i32.const 1))
        (i32.store (i32.const 12) (i32.const 2))
        ;; Behind a number lies something else, as it does in Fortran.
        (f64.store (i32.const 16) (f64.const 3))
        (f64.store (i32.const 24) (f64.const 5))
        (f64.store (i32.const 32) (f64.const 7))
        (f64.store (i32.const 40) (f64.const 1))
        (call $unless
            (call $dgemm (i32.const 0) (i32.const 1) (i32.const 8) (i32.const 8) (i32.const 8) (i32.const 40)
                (i32.const 16) (i32.const 8) (i32.const 24) (i32.const 8) (i32.const 40) (i32.const 32) (i32.const 8))
            (i32.const 5))
        (call $unless (f64.eq (f64.load (i32.const 32)) (f64.const 22)) (i32.const 6))
        ;; The exchange of two rows, with a leading dimension of 3: the pivots are 2 and 2.
        (i32.store (i32.const 104) (i32.const 3))
        (f64.store (i32.const 56) (f64.const 1))
        (f64.store (i32.const 64) (f64.const 9))
        (f64.store (i32.const 72) (f64.const 1))
        (i32.store (i32.const 96) (i32.const 77))
        (call $unless
            (call $dgetrf (i32.const 12) (i32.const 12) (i32.const 48) (i32.const 104) (i32.const 88) (i32.const 100))
            (i32.const 5))
        (call $unless (i64.eq (i64.load (i32.const 88)) (i64.const 0x200000002)) (i32.const 7))
        (call $unless (i32.eq (i32.load (i32.const 96)) (i32.const 77)) (i32.const 7))
        (call $unless (i32.eqz (i32.load (i32.const 100))) (i32.const 7))
        (call $unless (f64.eq (f64.load (i32.const 48)) (f64.const 1)) (i32.const 7))
        (call $unless (f64.eq (f64.load (i32.const 56)) (f64.const 0)) (i32.const 7))
        (call $unless (f64.eq (f64.load (i32.const 64)) (f64.const 9)) (i32.const 7))
        (call $unless (f64.eq (f64.load (i32.const 80)) (f64.const 1)) (i32.const 7))))
