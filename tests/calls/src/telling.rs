//! What a guest prints of each call, so that two engines can be compared: written by [`tell`] and, natively, by [`line()`], read by [`told`].

use wasm_encoder::{Instruction, MemArg, ValType};

use crate::guest::{AT, Builder};
use crate::memory::WORDS;

/// `(code, number)`: prints a line with the number of a function and the class of what it has returned, in hexadecimal.
pub(crate) fn tell(b: &mut Builder, write: u32, error_class: u32) -> u32 {
    use Instruction as I;
    // The class, the line, where it is for the system, and how much of it was written.
    let (class, line, vector, written) = (WORDS as i32 + 64, WORDS as i32 + 72, WORDS as i32 + 96, WORDS as i32 + 104);
    let at = |offset| MemArg { offset, ..AT };
    let mut body = vec![I::LocalGet(0), I::I32Const(class), I::Call(error_class), I::Drop];
    let digit = |from: Vec<Instruction<'static>>, shift: i32, offset: u64| {
        let mut digit = vec![I::I32Const(line)];
        digit.extend(from);
        // A letter of the first sixteen for each digit.
        digit.extend([I::I32Const(shift), I::I32ShrU, I::I32Const(15), I::I32And, I::I32Const('a' as i32), I::I32Add]);
        digit.push(I::I32Store8(at(offset)));
        digit
    };
    for (place, shift) in [12, 8, 4, 0].into_iter().enumerate() {
        body.extend(digit(vec![I::LocalGet(1)], shift, place as u64));
        body.extend(digit(vec![I::I32Const(class), I::I32Load(AT)], shift, 5 + place as u64));
    }
    for (byte, offset) in [(' ', 4), ('\n', 9)] {
        body.extend([I::I32Const(line), I::I32Const(byte as i32), I::I32Store8(at(offset))]);
    }
    body.extend([I::I32Const(vector), I::I32Const(line), I::I32Store(AT)]);
    body.extend([I::I32Const(vector), I::I32Const(10), I::I32Store(at(4))]);
    body.extend([I::I32Const(1), I::I32Const(vector), I::I32Const(1), I::I32Const(written), I::Call(write), I::Drop]);
    b.function(&[ValType::I32; 2], &[], 0, &body)
}

/// What [`tell`] prints, from a number and a class.
pub(crate) fn line(function: u16, class: i32) -> String {
    let letters = |number: u16| -> String {
        [12, 8, 4, 0].map(|shift| char::from(b'a' + (number >> shift & 15) as u8)).into_iter().collect()
    };
    format!("{} {}", letters(function), letters(class as u16))
}

/// The number of a function and the class that a line of `Kind::Telling` names.
pub fn told(line: &str) -> Option<(usize, i32)> {
    let (number, class) = line.trim_end().split_once(' ')?;
    let read = |letters: &str| {
        let digit = |letter: u8| (b'a'..=b'p').contains(&letter).then(|| i32::from(letter - b'a'));
        (letters.len() == 4).then_some(())?;
        letters.bytes().try_fold(0, |number, letter| Some(number << 4 | digit(letter)?))
    };
    Some((read(number)? as usize, read(class)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_function_and_a_class() {
        assert_eq!(told("aabc aaan\n"), Some((0x12, 13)));
        assert_eq!(line(0x12, 13), "aabc aaan");
        assert_eq!(told("[0] aabc aaan"), None);
        assert_eq!(told("rankine: rank 0"), None);
    }
}
