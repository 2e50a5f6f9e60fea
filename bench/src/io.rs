//! `just bench io`: a file that ranks write and read together, beside MPICH's ranks, and beside one thread of this process that
//! writes and reads as many bytes.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use crate::plans::{Run, suits_natives};
use crate::twins::{Competitor, Measurement, root};

/// What all are compared with.
pub const RAW: &str = "raw";

/// Native ranks poll while they wait: where more than 8 of them share a few cores, nothing else would be measured.
const NATIVES: [u32; 3] = [1, 2, 8];
const OURS: [u32; 5] = [1, 2, 8, 16, 64];

/// As the program has it.
const TOTAL: usize = 32 << 20;
const REPEAT: usize = 5;
const PAGE: usize = 4096;

/// Everybody, over one file of the same file system.
pub fn ways(crowded: bool) -> Result<Vec<Run>> {
    let folder: &'static Path = Box::leak(root().join("target/bench/files").into_boxed_path());
    fs::create_dir_all(folder)?;
    let name = folder.join("io");
    let way = |competitor: Option<Competitor>, ranks: Vec<u32>| -> Option<Run> {
        let (competitor, path) = (competitor?, name.display().to_string());
        let name = competitor.name;
        let run = move || {
            let all = ranks.iter().map(|&ranks| competitor.run("io", ranks, &[&path]));
            Ok(all.collect::<Result<Vec<_>>>()?.concat())
        };
        Some((name, Box::new(run)))
    };
    let natives = NATIVES.into_iter().filter(|&ranks| suits_natives(ranks, crowded)).collect();
    let all = [way(Competitor::mpich(), natives), way(Some(Competitor::local().in_folder(folder)), OURS.into())];
    let raw: Run = (RAW, Box::new(move || raw(&name)));
    Ok(all.into_iter().flatten().chain([raw]).collect())
}

/// What one thread takes to write and read the bytes, 4 MiB at a time, best of several times: the same for any number of ranks.
fn raw(name: &Path) -> Result<Vec<Measurement>> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(name)?;
    let mut room = vec![1; TOTAL + PAGE];
    // As the program's buffer lies, and quicker to copy.
    let start = room.as_ptr().align_offset(PAGE);
    let (buffer, piece) = (&mut room[start..start + TOTAL], TOTAL / 8);
    let mut best = [f64::INFINITY; 2];
    for repeat in 0..=REPEAT {
        for (reads, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            for (part, at) in buffer.chunks_mut(piece).zip((0..).step_by(piece)) {
                if reads == 1 { file.read_exact_at(part, at) } else { file.write_all_at(part, at) }?;
            }
            // The first time makes the file.
            if repeat > 0 {
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
    }
    fs::remove_file(name)?;
    let rows = OURS.iter().flat_map(|ranks| ["contiguous", "rows"].map(|how| (ranks, how)));
    let both = rows.flat_map(|(ranks, how)| {
        let what = |verb| format!("{ranks:2} ranks: {how} {verb}");
        [(what("write"), best[0]), (what("read"), best[1])]
    });
    Ok(both.map(|(what, seconds)| Measurement { what, bytes: TOTAL as u64, seconds }).collect())
}
