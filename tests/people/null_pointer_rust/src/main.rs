// A null pointer in Rust, whose linker does not say that nothing lies there: the last page of the stack does.
// ranks: 1
// exit: 134
// stdout: before
// stderr: rank 0 trapped: a null pointer was used: an access at address 0xc
use std::hint::black_box;
use std::ptr::null;

fn main() {
    println!("before");
    let nowhere: *const i32 = black_box(null());
    // SAFETY: none, and that is what is tried: nothing lies there.
    println!("{}", unsafe { nowhere.wrapping_add(3).read_volatile() });
}
