//! Which objects a walk has met: from address to number.
//!
//! Open addressing. An allocator puts objects side by side, and so does this table, as long as that goes well: then a
//! walk touches the table in about the order of the objects, which a large graph's time depends on. Where addresses
//! fall on one another, the table mixes them.

/// The objects that a walk has met.
pub(crate) struct Visited {
    /// Address and number of an object; a free slot has the address 0, which no object has.
    slots: Vec<(u32, u32)>,
    used: usize,
    mixed: bool,
}

/// Slots at least.
const SMALLEST: usize = 64;
/// Slots that are kept from one walk to the next.
const KEPT: usize = 1 << 20;
/// Steps to a free slot that show that the objects do not lie side by side.
const MANY_STEPS: u32 = 40;

impl Default for Visited {
    fn default() -> Self {
        Visited { slots: vec![(0, 0); SMALLEST], used: 0, mixed: false }
    }
}

impl Visited {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        // Sized by the last walk: the next one is likely to be like it.
        let slots = (self.used * 2 + 2).next_power_of_two().clamp(SMALLEST, KEPT);
        self.slots.truncate(slots);
        self.slots.fill((0, 0));
        self.slots.resize(slots, (0, 0));
        if self.slots.capacity() > 2 * KEPT {
            self.slots.shrink_to(KEPT);
        }
        self.used = 0;
    }

    #[inline]
    fn place(&self, address: u32) -> usize {
        let near = address >> 4;
        (if self.mixed { (near ^ address << 28).wrapping_mul(0x9e37_79b1).rotate_left(16) } else { near }) as usize
    }

    /// The number of the object at `address`, which is not 0; a new one gets `number`.
    #[inline]
    pub(crate) fn enter(&mut self, address: u32, number: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = self.place(address) & mask;
        let mut steps = 0;
        loop {
            let (at, found) = self.slots[slot];
            if at == address {
                return found;
            }
            if at == 0 {
                self.slots[slot] = (address, number);
                self.used += 1;
                if self.used * 2 > self.slots.len() || steps > MANY_STEPS {
                    self.arrange(steps);
                }
                return number;
            }
            steps += 1;
            slot = (slot + 1) & mask;
        }
    }

    /// The number of the object at `address`, if it was met.
    pub(crate) fn get(&self, address: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = self.place(address) & mask;
        loop {
            match self.slots[slot] {
                (0, _) => return None,
                (at, number) if at == address => return Some(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Makes the table larger where it is full, and mixes it where ways are long.
    #[cold]
    fn arrange(&mut self, steps: u32) {
        let is_full = self.used * 2 > self.slots.len();
        if self.mixed && !is_full {
            return;
        }
        self.mixed |= steps > MANY_STEPS;
        let slots = if is_full { self.slots.len() * 4 } else { self.slots.len() };
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); slots]);
        for (address, number) in old.into_iter().filter(|(address, _)| *address != 0) {
            let mut slot = self.place(address) & (slots - 1);
            while self.slots[slot].0 != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = (address, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_number() {
        for stride in [1, 4, 16, 48, 64, 4096, 65536] {
            let mut visited = Visited::default();
            for _ in 0..2 {
                visited.clear();
                for number in 0..10_000 {
                    assert_eq!(visited.enter(16 + number * stride, number), number);
                }
                for number in (0..10_000).rev() {
                    assert_eq!(visited.enter(16 + number * stride, 7), number);
                    assert_eq!(visited.get(16 + number * stride), Some(number));
                }
                assert_eq!(visited.get(3), None);
            }
        }
    }
}
