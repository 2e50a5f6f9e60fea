// Distributed arrays in files through MPI-IO: the files are those that rank 0 writes alone, and are read as those.
// ranks: 1 2 3 4
// run: --dir {scratch}::/tmp

use std::fs;
use std::hash::{BuildHasher, RandomState};

use rankine_arrays::{Array, Grid, Range, Result, Viewable, ViewableMut, mpi_io, read_npy, write_npy, write_raw};

fn main() -> Result<()> {
    let universe = rankine::Universe::new()?;
    let world = universe.world();
    let name = (world.rank() == 0).then(|| format!("/tmp/rankine-arrays-io-{:x}", RandomState::new().hash_one(1)));
    let path = world.broadcast(name, 0)?;
    let grid = Grid::new(&world, 2)?;
    let all = [
        [Range::block(13).ghosts(1), Range::cyclic(7)],
        [Range::collapsed(13), Range::block_cyclic(7, 2)],
        [Range::cyclic(13).on(1), Range::collapsed(7)],
    ];
    for from in &all {
        let mut array = Array::<f64, 2>::new("written", &grid, from.clone())?;
        array.view_mut().for_each(|[i, j], element| *element = (100 * i + j) as f64);
        write_npy(&array, &path)?;
        let alone = bytes(&array, &path);
        mpi_io::write_npy(&array, &path)?;
        assert_eq!(bytes(&array, &path), alone);
        write_raw(&array, &path)?;
        let alone = bytes(&array, &path);
        mpi_io::write_raw(&array, &path)?;
        assert_eq!(bytes(&array, &path), alone);
        for to in &all {
            let mut read = Array::<f64, 2>::new("read", &grid, to.clone())?;
            mpi_io::read_raw(&mut read, &path)?;
            check(&read);
            // A transposed view, written and read back.
            mpi_io::write_npy(&array.view().transposed([1, 0])?, &path)?;
            read.fill(0.0);
            mpi_io::read_npy(&mut read.view_mut().transposed([1, 0])?, &path)?;
            check(&read);
            read.fill(0.0);
            read_npy(&mut read.view_mut().transposed([1, 0])?, &path)?;
            check(&read);
            mpi_io::write_raw(&array, &path)?;
        }
    }
    let mut other = Array::<f32, 2>::new("other", &grid, all[0].clone())?;
    let error = mpi_io::read_raw(&mut other, &path).expect_err("the file is another one's").to_string();
    assert_eq!(error, format!("array \"other\": {path}: it holds numbers of the type <f8, the array <f4"));
    assert!(mpi_io::read_raw(&mut other, "/tmp/rankine-no-such-file").is_err());
    drop(other);
    if world.rank() == 0 {
        fs::remove_file(&path).expect("it was written");
        println!("OK");
    }
    Ok(())
}

fn check(array: &Array<f64, 2>) {
    array.view().for_each(|[i, j], &element| assert_eq!(element, (100 * i + j) as f64));
}

/// What is in the file, which nobody changes before all have seen it.
fn bytes(array: &Array<f64, 2>, path: &str) -> Vec<u8> {
    array.sum().expect("this waits for all");
    let bytes = fs::read(path).expect("it was written");
    array.sum().expect("this waits for all");
    bytes
}
