//! What a file says of its array.

use std::io::Read;

/// The kinds of files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Raw,
}

/// The beginning of a file.
#[derive(Debug)]
pub(crate) struct Header {
    /// NumPy's name of the type.
    pub npy: String,
    pub extents: Vec<usize>,
    /// In Fortran's order.
    pub is_reversed: bool,
}

const NPY: &[u8; 6] = b"\x93NUMPY";
const RAW: &[u8; 8] = b"RKARRAY1";
/// Headers of files that others wrote may be long, but not without bounds.
const LONGEST: usize = 1 << 16;

impl Header {
    pub fn bytes(&self, format: Format) -> Vec<u8> {
        match format {
            Format::Raw => {
                let mut bytes = RAW.to_vec();
                let mut name = [0u8; 4];
                name[..self.npy.len()].copy_from_slice(self.npy.as_bytes());
                bytes.extend(name);
                bytes.extend((self.extents.len() as u32).to_le_bytes());
                self.extents.iter().for_each(|&extent| bytes.extend((extent as u64).to_le_bytes()));
                bytes
            }
            Format::Npy => {
                let extents: Vec<String> = self.extents.iter().map(usize::to_string).collect();
                // As Python writes tuples.
                let comma = if extents.len() == 1 { "," } else { "" };
                let (npy, shape) = (&self.npy, extents.join(", "));
                let mut text = format!("{{'descr': '{npy}', 'fortran_order': False, 'shape': ({shape}{comma}), }}");
                // The numbers begin at a multiple of 64 bytes.
                while !(text.len() + 11).is_multiple_of(64) {
                    text.push(' ');
                }
                text.push('\n');
                let mut bytes = NPY.to_vec();
                bytes.extend([1, 0]);
                bytes.extend((text.len() as u16).to_le_bytes());
                bytes.extend(text.as_bytes());
                bytes
            }
        }
    }

    pub fn read(file: &mut impl Read, format: Format) -> Result<Header, String> {
        match format {
            Format::Npy => read_npy(file),
            Format::Raw => read_raw(file),
        }
    }

    /// Whether an array of this type and these extents can be read from it.
    pub fn check(&self, npy: &str, extents: &[usize]) -> Result<(), String> {
        if self.npy.trim_start_matches(['<', '|', '=']) != npy.trim_start_matches(['<', '|']) {
            return Err(format!("it holds numbers of the type {}, the array {npy}", self.npy));
        }
        if self.extents != extents {
            return Err(format!("it has the extents {:?}, the array {extents:?}", self.extents));
        }
        Ok(())
    }
}

fn bytes(file: &mut impl Read, count: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; count];
    file.read_exact(&mut bytes).map_err(|_| "it ends in its header".to_string())?;
    Ok(bytes)
}

fn word(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | usize::from(byte))
}

fn read_raw(file: &mut impl Read) -> Result<Header, String> {
    let head = bytes(file, 16)?;
    let rank = word(&head[12..]);
    if head[..8] != RAW[..] || rank > 4 {
        return Err("it does not begin as a raw array does".into());
    }
    let npy = String::from_utf8_lossy(&head[8..12]).trim_end_matches('\0').to_string();
    let extents = bytes(file, 8 * rank)?;
    let extents =
        extents.chunks(8).map(|extent| usize::try_from(u64::from_le_bytes(extent.try_into().expect("8 bytes"))));
    let extents = extents.collect::<Result<_, _>>().map_err(|_| "its extents are larger than a memory".to_string())?;
    Ok(Header { npy, extents, is_reversed: false })
}

fn read_npy(file: &mut impl Read) -> Result<Header, String> {
    let head = bytes(file, 8)?;
    if head[..6] != NPY[..] {
        return Err("it is not an .npy file".into());
    }
    let length = word(&bytes(file, if head[6] == 1 { 2 } else { 4 })?);
    if length > LONGEST {
        return Err("its header is too long".into());
    }
    let text = String::from_utf8_lossy(&bytes(file, length)?).into_owned();
    let value = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    let none = || format!("its header makes no sense: {}", text.trim());
    let npy = value("descr").and_then(|rest| rest.split('\'').nth(1)).ok_or_else(none)?.to_string();
    let is_reversed = value("fortran_order").ok_or_else(none)?.starts_with("True");
    let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).ok_or_else(none)?.0;
    let extents = shape.split(',').map(str::trim).filter(|extent| !extent.is_empty()).map(str::parse);
    Ok(Header { npy, extents: extents.collect::<Result<_, _>>().map_err(|_| none())?, is_reversed })
}
