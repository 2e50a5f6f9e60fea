// Rust has no blocks of 2 GiB and more where addresses have 32 bits. What comes close to that is given as the first block;
// more is an error, or a panic.
// ranks: 1
// exit: 134
// stdout: a block of 2146435072 bytes
// stderr: capacity overflow
// stderr: at large_block_rust::main
// stderr-not: at core::panicking
// stderr-not: lang_start
use std::hint::black_box;

fn main() {
    let most = 2047 << 20;
    let mut block: Vec<u8> = Vec::new();
    block.try_reserve_exact(most).expect("so much is free");
    let room = black_box(&mut block).spare_capacity_mut();
    room[0].write(1);
    room[most - 1].write(2);
    println!("a block of {} bytes", room.len());
    drop(block);
    assert!(Vec::<f64>::new().try_reserve_exact(black_box(600_000_000)).is_err());
    black_box(vec![0_f64; black_box(600_000_000)]);
}
