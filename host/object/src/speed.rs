use crate::*;
use std::time::Instant;
#[test]
fn speed() {
    let n = 1000u32;
    let mut bytes = vec![0u64; 1 << 16];
    let memory = Memory::new();
    unsafe { memory.set(bytes.as_mut_ptr().cast(), (bytes.len() * 8) as u64) };
    let o = Objects::default();
    let leaf = o.declare("leaf", 16, 8).unwrap();
    let r = |name: &str, at| (name.into(), [1, at, leaf as i32, 1, -1, -1, -1, 0]);
    o.define(leaf, vec![r("left", 8), r("right", 12)]).unwrap();
    let at = |i: u32| if i <= n { 1024 + i * 32 } else { 0 };
    for i in 1..=n {
        memory.write_i32(Addr(at(i) + 8), at(2 * i) as i32, "").unwrap();
        memory.write_i32(Addr(at(i) + 12), at(2 * i + 1) as i32, "").unwrap();
    }
    memory.write_i32(Addr(16), at(1) as i32, "").unwrap();
    let roots = Roots { at: Addr(16), count: 1, plan: o.plan(leaf).unwrap() };
    let (mut best, mut dec) = (f64::MAX, f64::MAX);
    for _ in 0..3000 {
        let t = Instant::now();
        let mut image = o.image(&memory, &roots).unwrap();
        let s = t.elapsed().as_secs_f64();
        best = best.min(s);
        let t = Instant::now();
        let out = decode::decode(&mut image, &roots.plan, &Limits::default()).unwrap();
        dec = dec.min(t.elapsed().as_secs_f64());
        assert_eq!(out.objects.len(), n as usize);
    }
    println!("walk {:.1} ns, decode {:.1} ns an object", best * 1e9 / n as f64, dec * 1e9 / n as f64);
}
