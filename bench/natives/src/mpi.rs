//! The few functions of MPI that are needed, in the standard ABI.

use std::ffi::{c_double, c_int, c_void};
use std::ptr::null_mut;

const WORLD: usize = 0x101;
const BYTE: usize = 0x247;

#[allow(non_snake_case)]
unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut i8) -> c_int;
    fn MPI_Finalize() -> c_int;
    fn MPI_Comm_rank(comm: usize, rank: *mut c_int) -> c_int;
    fn MPI_Wtime() -> c_double;
    fn MPI_Send(buffer: *const c_void, count: c_int, datatype: usize, dest: c_int, tag: c_int, comm: usize) -> c_int;
    fn MPI_Mprobe(source: c_int, tag: c_int, comm: usize, message: *mut usize, status: *mut [c_int; 8]) -> c_int;
    fn MPI_Mrecv(
        buffer: *mut c_void,
        count: c_int,
        datatype: usize,
        message: *mut usize,
        status: *mut [c_int; 8],
    ) -> c_int;
    fn MPI_Get_count(status: *const [c_int; 8], datatype: usize, count: *mut c_int) -> c_int;
}

/// Initialises MPI; this process's rank.
pub fn start() -> c_int {
    let mut rank = 0;
    // SAFETY: MPI takes null pointers here, and the result is on the stack.
    unsafe {
        MPI_Init(null_mut(), null_mut());
        MPI_Comm_rank(WORLD, &mut rank);
    }
    rank
}

pub fn end() {
    // SAFETY: nothing of MPI is used after it.
    unsafe { MPI_Finalize() };
}

pub fn time() -> f64 {
    // SAFETY: it has no conditions.
    unsafe { MPI_Wtime() }
}

pub fn send(bytes: &[u8], dest: c_int) {
    // SAFETY: the bytes are as many as it says.
    unsafe { MPI_Send(bytes.as_ptr().cast(), bytes.len() as c_int, BYTE, dest, 0, WORLD) };
}

pub fn receive(source: c_int) -> Vec<u8> {
    let (mut message, mut status, mut length) = (0, [0; 8], 0);
    // SAFETY: results on the stack.
    unsafe {
        MPI_Mprobe(source, 0, WORLD, &mut message, &mut status);
        MPI_Get_count(&status, BYTE, &mut length);
    }
    let mut bytes = vec![0; length as usize];
    // SAFETY: there is room for the whole message.
    unsafe { MPI_Mrecv(bytes.as_mut_ptr().cast(), length, BYTE, &mut message, &mut status) };
    bytes
}
