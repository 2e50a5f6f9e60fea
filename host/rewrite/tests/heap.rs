//! Programs whose heap is watched, of either width: the host is asked the same, and the program gets the same blocks.

use std::sync::{Arc, Mutex};

use rankine_rewrite::heap::{TABLE, instrument};
use rankine_rewrite::lower64;
use wasmtime::{Engine, Func, Instance, Memory, Module, Ref, Store, Val};

/// A program whose words and addresses are `WORD`s. Its allocator gives what comes next of its memory; it refuses what is longer
/// than that, and notes what is freed.
const PROGRAM: &str = r#"(module
    (table 2 funcref)
    (memory (export "memory") ADDRESS 1)
    (global $next (mut WORD) (WORD.const 1024))
    (func $malloc (param $size WORD) (result WORD)
        (if (WORD.gt_u (local.get $size) (WORD.const 60000)) (then (return (WORD.const 0))))
        (global.get $next)
        (global.set $next (WORD.add (global.get $next) (local.get $size))))
    (func $free (param WORD) (WORD.store (WORD.const 16) (local.get 0)))
    (func $calloc (param WORD WORD) (result WORD) (call $malloc (WORD.mul (local.get 0) (local.get 1))))
    (func $realloc (param WORD WORD) (result WORD) (WORD.add (local.get 0) (local.get 1)))
    (func $aligned_alloc (param WORD WORD) (result WORD) (call $malloc (local.get 1)))
    (func $posix_memalign (param WORD WORD WORD) (result i32)
        (WORD.store (local.get 0) (call $malloc (local.get 2)))
        (i32.const 0))
    (func (export "malloc") (param WORD) (result WORD) (call $malloc (local.get 0)))
    (func (export "free") (param WORD) (call $free (local.get 0)))
    (func (export "calloc") (param WORD WORD) (result WORD) (call $calloc (local.get 0) (local.get 1)))
    (func (export "realloc") (param WORD WORD) (result WORD) (call $realloc (local.get 0) (local.get 1)))
    (func (export "aligned_alloc") (param WORD WORD) (result WORD) (call $aligned_alloc (local.get 0) (local.get 1)))
    (func (export "posix_memalign") (param WORD WORD) (result WORD)
        (drop (call $posix_memalign (WORD.const 8) (local.get 0) (local.get 1)))
        (WORD.load (WORD.const 8))))"#;

/// Bytes before each block.
const FRONT: u32 = 16;

/// A program that runs, and what it has asked the host.
struct Watched {
    store: Store<()>,
    instance: Instance,
    asked: Arc<Mutex<Vec<String>>>,
    is_wide: bool,
}

impl Watched {
    fn new(is_wide: bool) -> Watched {
        let (word, address) = if is_wide { ("i64", "i64") } else { ("i32", "") };
        let text = PROGRAM.replace("WORD", word).replace("ADDRESS", address);
        let program = wat::parse_str(text).unwrap();
        let narrow = if is_wide { lower64::lower(&program).unwrap().binary } else { program };
        let mut store = Store::new(&Engine::default(), ());
        let module = Module::new(store.engine(), instrument(&narrow).unwrap().binary).unwrap();
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let mut watched = Watched { store, instance, asked: Arc::default(), is_wide };
        watched.answer();
        watched
    }

    /// Answers what the program asks: a block has 16 bytes before it, those from 4096 on are nobody's, and 8 bytes long.
    fn answer(&mut self) {
        let store = &mut self.store;
        let told = |name: &'static str| {
            let asked = self.asked.clone();
            move |of: u64| asked.lock().unwrap().push(format!("{name} {of:#x}"))
        };
        let (room, got, freed, length) = (told("room"), told("got"), told("freed"), told("length"));
        let hooks = [
            Func::wrap(&mut *store, move |alignment: u32, size: u64| {
                room(u64::from(alignment) << 48 | size);
                u32::try_from(size + u64::from(FRONT)).unwrap_or(u32::MAX)
            }),
            Func::wrap(&mut *store, move |at: u32| {
                got(at.into());
                if at == 0 { 0 } else { at + FRONT }
            }),
            Func::wrap(&mut *store, move |at: u32| {
                freed(at.into());
                if at < 4096 { 0 } else { at }
            }),
            Func::wrap(&mut *store, move |at: u32| {
                length(at.into());
                if at < 4096 { 8 } else { u32::MAX }
            }),
        ];
        let table = self.instance.get_table(&mut *store, TABLE).unwrap();
        for (place, hook) in hooks.into_iter().enumerate() {
            table.set(&mut *store, place as u64, Ref::Func(Some(hook))).unwrap();
        }
    }

    fn memory(&mut self) -> Memory {
        self.instance.get_memory(&mut self.store, "memory").unwrap()
    }

    /// What a function gives, and what was asked meanwhile.
    fn call(&mut self, name: &str, words: &[u64]) -> (u64, Vec<String>) {
        let function = self.instance.get_func(&mut self.store, name).unwrap();
        let word = |word: u64| if self.is_wide { Val::I64(word as i64) } else { Val::I32(word as i32) };
        let words: Vec<Val> = words.iter().copied().map(word).collect();
        let mut results = vec![Val::I32(0); function.ty(&self.store).results().len()];
        function.call(&mut self.store, &words, &mut results).unwrap();
        let result = match results.first() {
            Some(Val::I64(word)) => *word as u64,
            Some(Val::I32(word)) => u64::from(*word as u32),
            _ => 0,
        };
        (result, std::mem::take(&mut self.asked.lock().unwrap()))
    }
}

#[test]
fn both_widths_ask_the_same_and_get_the_same() {
    let mut programs = [false, true].map(Watched::new);
    let calls: [(&str, &[u64]); 11] = [
        ("malloc", &[40]),
        ("malloc", &[0xffff_fff0]),
        ("calloc", &[3, 7]),
        ("calloc", &[1 << 20, 1 << 20]),
        ("aligned_alloc", &[64, 128]),
        ("posix_memalign", &[32, 20]),
        ("realloc", &[1040, 100]),
        ("realloc", &[1040, 4]),
        ("realloc", &[5000, 7]),
        ("free", &[1040]),
        ("free", &[0]),
    ];
    for (name, words) in calls {
        let [narrow, wide] = programs.each_mut().map(|program| program.call(name, words));
        assert_eq!(narrow, wide, "{name} of {words:?}");
    }
}

#[test]
fn what_was_in_a_block_is_copied() {
    for is_wide in [false, true] {
        let mut program = Watched::new(is_wide);
        let (block, _) = program.call("malloc", &[8]);
        let memory = program.memory();
        memory.write(&mut program.store, block as usize, b"contents").unwrap();
        for (size, kept) in [(100, b"contents"), (3, b"con\0\0\0\0\0")] {
            let (grown, asked) = program.call("realloc", &[block, size]);
            let of = |name: &str, number: u64| format!("{name} {number:#x}");
            let got = of("got", grown - u64::from(FRONT));
            assert_eq!(asked, [of("length", block), of("room", 1 << 48 | size), got, of("freed", block)]);
            assert_eq!(&memory.data(&program.store)[grown as usize..][..8], kept);
        }
    }
}

/// A size that 32 bits can't hold is that of no block, and an address that they can't hold is where none begins.
#[test]
fn longer_words_are_not_cut() {
    const LONG: u64 = 1 << 32 | 40;
    const MOST: u64 = u32::MAX as u64;
    let mut program = Watched::new(true);
    let room = |alignment: u64, size: u64| format!("room {:#x}", alignment << 48 | size);
    let fails = |size: u64| (0, vec![room(1, size), "got 0x0".to_owned()]);
    assert_eq!(program.call("malloc", &[LONG]), fails(MOST));
    assert_eq!(program.call("malloc", &[u64::MAX]), fails(MOST));
    assert_eq!(program.call("calloc", &[LONG, 2]), fails(2 * MOST));
    assert_eq!(program.call("calloc", &[1 << 32, 1 << 32]), fails(MOST * MOST));
    assert_eq!(program.call("aligned_alloc", &[64, LONG]).0, 0);
    assert_eq!(program.call("posix_memalign", &[64, LONG]).0, 0);
    let mut freed = [0; 8];
    assert_eq!(program.call("free", &[1 << 32 | 1040]).1, [format!("freed {MOST:#x}")]);
    program.memory().read(&program.store, 16, &mut freed).unwrap();
    assert_eq!(u64::from_le_bytes(freed), 1 << 32 | 1040);
    // No block begins there, so the allocator is given both words as they are.
    assert_eq!(
        program.call("realloc", &[1 << 32 | 1040, LONG]),
        (LONG + 1040 + (1 << 32), vec!["length 0xffffffff".into()])
    );
    // Of none there is nothing to copy, and a block that can't grow stays.
    let (grown, asked) = program.call("realloc", &[1040, LONG]);
    assert_eq!((grown, asked.last().unwrap().as_str()), (0, "got 0x0"));
    assert_eq!(program.call("calloc", &[0, u64::MAX]).1[0], room(1, 0));
}
