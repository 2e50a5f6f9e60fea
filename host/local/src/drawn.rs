//! Numbers drawn from a seed: the same ones wherever and whenever.

/// A row of numbers: Steele, Lea and Flood's SplitMix (OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Drawn(u64);

impl From<u64> for Drawn {
    fn from(seed: u64) -> Drawn {
        Drawn(seed)
    }
}

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another one, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}
