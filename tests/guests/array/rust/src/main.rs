// Distributed arrays: every operation on drawn distributions gives what indexing the whole array gives.
// ranks: 1 2 3 4 7 12
// run: --dir {scratch}::/tmp

mod draw;
mod files;
mod halos;
mod lookups;
mod misuse;
mod moves;
mod objects;
mod ranges;
mod reductions;
mod rows;
mod show;

use draw::Draw;
use rankine_arrays::Result;

fn main() -> Result<()> {
    let universe = rankine::Universe::new()?;
    let world = universe.world();
    for seed in 1..=40 {
        let mut draw = Draw::new(seed, world);
        ranges::run(&mut draw)?;
        moves::run(&mut draw)?;
        halos::run(&mut draw)?;
        rows::run(&mut draw)?;
        reductions::run(&mut draw)?;
        lookups::run(&mut draw)?;
    }
    let mut draw = Draw::new(99, world);
    objects::run(&mut draw)?;
    files::run(&mut draw)?;
    misuse::run(&mut draw)?;
    show::run(&mut draw)?;
    if world.rank() == 0 {
        println!("OK");
    }
    Ok(())
}
