//! A field as a picture, in the colours of the page.

use rankine_view_wire::Field;
use rankine_view_wire::colours::{Map, SHADES};

/// Pixels of a picture's longer side at least: cells of small fields are squares.
const LONGEST: u32 = 512;
/// Colours of the palette that numbers have; the last one is where there is none.
const COLOURS: usize = 255;
const NONE: u8 = 255;

/// A file with a field as a picture, cell by cell, the first row at the top. On a logarithmic scale only numbers above 0 have a
/// colour.
pub fn png(field: &Field, map: &Map, is_logarithmic: bool) -> Vec<u8> {
    let [rows, columns] = field.size();
    let each = (LONGEST / rows.max(columns).max(1)).max(1);
    let shades = shades(&field.numbers(), is_logarithmic);
    // Each line says first how it is filtered: not at all.
    let mut lines = Vec::with_capacity(rows as usize * (columns as usize + 1));
    for row in shades.chunks_exact(columns.max(1) as usize) {
        let line = || std::iter::once(0).chain(row.iter().flat_map(|shade| std::iter::repeat_n(*shade, each as usize)));
        (0..each).for_each(|_| lines.extend(line()));
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let [width, height] = [columns * each, rows * each].map(u32::to_be_bytes);
    // Eight bits of a palette, and nothing that there is a choice of.
    chunk(&mut file, b"IHDR", &[&width[..], &height, &[8, 3, 0, 0, 0]].concat());
    let all = map.shades();
    let colour = |n: usize| &all[4 * (n * (SHADES - 1) / (COLOURS - 1))..][..3];
    let palette: Vec<u8> = (0..COLOURS).flat_map(colour).copied().chain([128; 3]).collect();
    chunk(&mut file, b"PLTE", &palette);
    let opaque = [[255; COLOURS].as_slice(), &[0]].concat();
    chunk(&mut file, b"tRNS", &opaque);
    chunk(&mut file, b"IDAT", &stored(&lines));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// The colours of numbers, spread from the least to the greatest finite one.
fn shades(numbers: &[f32], is_logarithmic: bool) -> Vec<u8> {
    let scaled = |number: f32| match is_logarithmic {
        true if number > 0.0 => f64::from(number).ln(),
        true => f64::NAN,
        false => number.into(),
    };
    let finite = numbers.iter().map(|number| scaled(*number)).filter(|number| number.is_finite());
    let [least, greatest] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, greatest], number| {
        [least.min(number), greatest.max(number)]
    });
    let shade = |number: &f32| {
        let number = scaled(*number);
        if number.is_nan() || least > greatest {
            NONE
        } else if least == greatest {
            (COLOURS / 2) as u8
        } else {
            // The range of two singles is a double, and what lies beyond it is at its ends.
            ((number - least) / (greatest - least) * (COLOURS - 1) as f64).round().clamp(0.0, (COLOURS - 1) as f64)
                as u8
        }
    };
    numbers.iter().map(shade).collect()
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let begin = file.len();
    file.extend(name);
    file.extend(content);
    let sum = crc32fast::hash(&file[begin..]);
    file.extend(sum.to_be_bytes());
}

/// Bytes in zlib's format, as they are: a picture is written once and kept by those who compress what they keep.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut pieces = bytes.chunks(u16::MAX.into()).peekable();
    while let Some(piece) = pieces.next() {
        let length = piece.len() as u16;
        out.push(u8::from(pieces.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(piece);
    }
    let [mut low, mut high] = [1u32, 0];
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65521;
        high = (high + low) % 65521;
    }
    out.extend(((high << 16) | low).to_be_bytes());
    out
}

#[cfg(test)]
mod tests {
    use rankine_view_wire::Part;
    use rankine_view_wire::colours::MAPS;

    use super::*;

    /// Width, height, palette, and the lines as they are stored.
    fn read(file: &[u8]) -> (u32, u32, Vec<u8>, Vec<u8>) {
        let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
        let (mut head, mut palette, mut data) = (Vec::new(), Vec::new(), Vec::new());
        while !rest.is_empty() {
            let length = u32::from_be_bytes(*rest.first_chunk().unwrap()) as usize;
            let (named, sum) = rest[4..].split_at(4 + length);
            assert_eq!(crc32fast::hash(named).to_be_bytes(), sum[..4]);
            match &named[..4] {
                b"IHDR" => head = named[4..].to_vec(),
                b"PLTE" => palette = named[4..].to_vec(),
                b"IDAT" => data = named[4..].to_vec(),
                _ => {}
            }
            rest = &sum[4..];
        }
        assert!(file.ends_with(b"IEND\xaeB`\x82") && head[8..] == [8, 3, 0, 0, 0]);
        let (mut bytes, mut at, mut is_last) = (Vec::new(), 2, false);
        assert_eq!(u16::from_be_bytes([data[0], data[1]]) % 31, 0);
        while !is_last {
            is_last = data[at] == 1;
            let length = u16::from_le_bytes([data[at + 1], data[at + 2]]);
            assert_eq!(!length, u16::from_le_bytes([data[at + 3], data[at + 4]]));
            bytes.extend(&data[at + 5..][..length.into()]);
            at += 5 + usize::from(length);
        }
        assert_eq!(at + 4, data.len());
        let side = |at: usize| u32::from_be_bytes(*head[at..].first_chunk().unwrap());
        (side(0), side(4), palette, bytes)
    }

    fn field(shape: [u32; 2], values: Vec<f32>) -> Field {
        let part = Part { start: [0, 0], count: shape, values };
        Field {
            name: "u".into(),
            step: 0,
            shape,
            every: 1,
            range: [0.0; 2],
            cut: None,
            parts: vec![part],
            arrows: None,
        }
    }

    #[test]
    fn every_cell_has_its_colour() {
        let values = vec![0.0, 1.0, f32::NAN, f32::INFINITY, 0.5, -0.0];
        let (width, height, palette, lines) = read(&png(&field([2, 3], values), &MAPS[0], false));
        assert_eq!((width, height, palette.len(), lines.len()), (510, 340, 768, 340 * 511));
        let at = |row: usize, column: usize| lines[(row * 170 + 85) * 511 + 1 + column * 170 + 85];
        assert_eq!([at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2)], [0, 254, 255, 254, 127, 0]);
        assert_eq!((&palette[..3], &palette[3 * 254..][..3]), (&[0x44, 0x01, 0x54][..], &[0xfd, 0xe7, 0x25][..]));
        assert!(lines.chunks(511).all(|line| line[0] == 0));
    }

    #[test]
    fn a_logarithmic_scale_has_no_colour_for_nothing() {
        let values = vec![1.0, 10.0, 100.0, 0.0, -1.0, 1.0];
        let (_, _, _, lines) = read(&png(&field([1, 6], values), &MAPS[1], true));
        let at = |column: usize| lines[1 + column * 85 + 40];
        assert_eq!([0, 1, 2, 3, 4, 5].map(at), [0, 127, 254, 255, 255, 0]);
    }

    #[test]
    fn pictures_may_be_larger_than_a_block() {
        let (width, height, _, lines) = read(&png(&field([300, 700], vec![1.0; 210_000]), &MAPS[0], false));
        assert_eq!((width, height, lines.len()), (700, 300, 300 * 701));
        assert!(lines.chunks(701).all(|line| line[1..].iter().all(|shade| *shade == 127)));
    }
}
