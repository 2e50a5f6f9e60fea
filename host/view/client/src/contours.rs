//! Lines at round values over a field.

use crate::axes::with_unit;
use crate::dom::ordinal;
use crate::ticks::round_up;

/// About how many lines there are between the ends of the colours.
const MANY: f64 = 10.0;
/// On a logarithmic scale that spans fewer powers of ten, lines are as far apart as on another.
const DECADES: f64 = 3.0;

/// Where lines are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Levels {
    /// One of them, near the least value: numbers of single precision are compared with it.
    pub base: f64,
    /// Between neighbours.
    pub apart: f64,
    /// Both are powers of ten.
    pub of_ten: bool,
}

/// The lines of values between these ends, if they can be told from each other.
pub(crate) fn levels(ends: [f32; 2], is_logarithmic: bool) -> Option<Levels> {
    let [least, greatest] = ends.map(f64::from);
    let decades = if is_logarithmic { (greatest / least).log10() } else { 0.0 };
    let (least, greatest, of_ten) =
        if decades >= DECADES { (least.log10(), greatest.log10(), true) } else { (least, greatest, false) };
    let rough = (greatest - least) / MANY;
    let apart = round_up(if of_ten { rough.max(1.0) } else { rough });
    let levels = Levels { base: (least / apart).round() * apart, apart, of_ten };
    (apart > 0.0 && apart.is_finite() && levels.base.is_finite()).then_some(levels)
}

impl Levels {
    /// Where they are, in words.
    pub fn told(&self, unit: &str) -> String {
        match (self.of_ten, self.apart) {
            (false, apart) => format!("lines every {}", with_unit(apart, unit)),
            (true, 1.0) => "lines at powers of ten".to_owned(),
            (true, apart) => format!("lines at every {} power of ten", ordinal(apart as u64)),
        }
    }
}
