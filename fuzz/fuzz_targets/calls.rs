//! Programs that call MPI with arguments no program would pass, drawn from the fuzzer's bytes (`rankine_calls`), run as
//! whole jobs of the embedded engine: the host neither panics nor dies, and no job goes on for ever.

#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use rankine::fuzzing;
use rankine::module::{self, Program};
use rankine::module::signature::Demands;
use rankine_calls::catalogue::Callee;
use rankine_calls::draw::{Choice, draw};
use rankine_calls::guest::Kind;
use rankine_calls::program::Mode;
use rankine_calls::{Catalogue, guest};

/// What all cases share: the guest is compiled once.
struct Bench {
    catalogue: Catalogue,
    choice: Choice,
    /// A guest of each kind.
    programs: [Program; 4],
}

static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let catalogue = Catalogue::new().expect("the table is right");
    let has = |callee: &Callee| callee.in_local;
    let choice = Choice::of(&catalogue, has, true);
    let file = std::env::temp_dir().join(format!("rankine-fuzz-calls-{}.wasm", std::process::id()));
    let engines = Arc::new(module::Engines::new(module::Settings::default()).expect("Wasmtime works here"));
    let kinds = [Kind::Plain, Kind::Threads(rankine_abi::MPI_THREAD_MULTIPLE), Kind::WIDE, Kind::LARGE];
    let programs = kinds.map(|kind| {
        std::fs::write(&file, guest::module(&catalogue, has, kind)).expect("the guest can be written");
        module::load(&engines, &file, None, &Demands::default(), module::Changes::default())
            .expect("the guest is a program")
    });
    let _ = std::fs::remove_file(&file);
    Bench { catalogue, choice, programs }
});

/// No case takes as long, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(50);

fuzz_target!(|bytes: &[u8]| {
    let Ok(case) = draw(&mut Unstructured::new(bytes), &BENCH.catalogue, &BENCH.choice) else { return };
    let programs = case.programs.iter().map(|program| program.to_hexadecimal());
    let arguments = std::iter::once("guest".to_owned()).chain(programs).collect();
    let program = &BENCH.programs[match case.mode {
        Mode::Wide => 2,
        Mode::Large => 3,
        _ => usize::from(case.twice),
    }];
    // Ranks that have threads are threads themselves.
    let fibers = case.fibers && !case.twice;
    fuzzing::run(program, case.ranks, fibers, arguments, PATIENCE).expect("the host stands it");
});
