//! Arrays in files, and what is wrong with some.

use std::fs;
use std::hash::{BuildHasher, RandomState};

use crate::draw::{Draw, check, number_of};
use rankine_arrays::{Array, Grid, Range, Result, Viewable, ViewableMut, read_npy, read_raw, write_npy, write_raw};

pub fn run(draw: &mut Draw) -> Result<()> {
    let world = draw.world;
    let name = (world.rank() == 0).then(|| format!("/tmp/rankine-arrays-{:x}", RandomState::new().hash_one(1)));
    let path = world.broadcast(name, 0)?;
    for _ in 0..4 {
        written::<1>(draw, &path)?;
        written::<2>(draw, &path)?;
        written::<4>(draw, &path)?;
    }
    large(draw, &path)?;
    known_bytes(draw, &path)?;
    wrong(draw, &path)?;
    if world.rank() == 0 {
        fs::remove_file(&path).expect("it was written");
    }
    Ok(())
}

fn written<const R: usize>(draw: &mut Draw, path: &str) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<R>());
    let array: Array<f64, R> = draw.numbered("written", &grid, extents)?;
    let ranges = draw.ranges(&grid, extents);
    let mut read = Array::<f64, R>::new("read", &grid, ranges)?;
    write_npy(&array, path)?;
    read_npy(&mut read, path)?;
    check("npy", &read.view(), |index| number_of(index, extents) as f64)?;
    read.fill(0.0);
    write_raw(&array, path)?;
    if grid.rank() == 0 {
        let bytes = fs::read(path).expect("it was written");
        assert_eq!(bytes[..8], *b"RKARRAY1");
        assert_eq!(bytes.len(), 16 + 8 * R + 8 * extents.iter().product::<usize>());
    }
    read_raw(&mut read, path)?;
    check("raw", &read.view(), |index| number_of(index, extents) as f64)
}

/// Several slabs.
fn large(draw: &mut Draw, path: &str) -> Result<()> {
    let grid = Grid::new(&draw.world, 2)?;
    let extents = [3, 400, 1500];
    let mut array =
        Array::<f64, 3>::new("large", &grid, [Range::collapsed(3), Range::block(400), Range::cyclic(1500)])?;
    let value = |index: [usize; 3]| number_of(index, extents) as f64;
    array.view_mut().for_each(|index, element| *element = value(index));
    write_npy(&array, path)?;
    array.fill(0.0);
    read_npy(&mut array, path)?;
    array.view().for_each(|index, &element| assert_eq!(element, value(index)));
    Ok(())
}

/// A file as NumPy writes it, and one in Fortran's order.
fn known_bytes(draw: &mut Draw, path: &str) -> Result<()> {
    let grid = Grid::new(&draw.world, 1)?;
    let mut array = Array::<i16, 2>::new("known", &grid, [Range::block(2), Range::collapsed(3)])?;
    crate::draw::number(&mut array);
    write_npy(&array, path)?;
    let header = |order: &str| {
        let text = format!("{{'descr': '<i2', 'fortran_order': {order}, 'shape': (2, 3), }}");
        let mut bytes = b"\x93NUMPY\x01\x00v\x00".to_vec();
        bytes.extend(format!("{text:117}\n").bytes());
        bytes
    };
    if grid.rank() == 0 {
        let mut expected = header("False");
        expected.extend([0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]);
        assert_eq!(fs::read(path).expect("it was written"), expected);
        let mut reversed = header("True");
        reversed.extend([0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5, 0]);
        fs::write(path, reversed).expect("the folder is granted");
    }
    array.fill(-1);
    read_npy(&mut array, path)?;
    check("a file in Fortran's order", &array.view(), |index| number_of(index, [2, 3]) as i16)
}

fn wrong(draw: &mut Draw, path: &str) -> Result<()> {
    let grid = Grid::new(&draw.world, 1)?;
    let array = Array::<f32, 1>::new("a", &grid, [Range::block(10)])?;
    write_npy(&array, path)?;
    let error = |result: Result<()>| result.expect_err("the file is another one's").to_string();
    let mut longer = Array::<f32, 1>::new("longer", &grid, [Range::block(11)])?;
    assert_eq!(
        error(read_npy(&mut longer, path)),
        format!("array \"longer\": {path}: it has the extents [10], the array [11]")
    );
    let mut doubles = Array::<f64, 1>::new("doubles", &grid, [Range::block(10)])?;
    let expected = format!("array \"doubles\": {path}: it holds numbers of the type <f4, the array <f8");
    assert_eq!(error(read_npy(&mut doubles, path)), expected);
    assert_eq!(
        error(read_raw(&mut doubles, path)),
        format!("array \"doubles\": {path}: it does not begin as a raw array does")
    );
    assert!(
        error(read_npy(&mut doubles, "/tmp/rankine-no-such-file"))
            .starts_with("array \"doubles\": /tmp/rankine-no-such-file: ")
    );
    if grid.rank() == 0 {
        let bytes = fs::read(path).expect("it was written");
        fs::write(path, &bytes[..bytes.len() - 1]).expect("the folder is granted");
    }
    let mut floats = Array::<f32, 1>::new("floats", &grid, [Range::block(10)])?;
    assert!(error(read_npy(&mut floats, path)).starts_with(&format!("array \"floats\": {path}: ")));
    Ok(())
}
