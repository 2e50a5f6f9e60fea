//! Where the parts of a record lie.

/// Where a part of a record lies, and when it means something.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub(crate) offset: usize,
    pub(crate) when: Option<(usize, i32)>,
    pub(crate) may_be_null: bool,
    /// With a zero at the end.
    pub(crate) name: &'static str,
}

impl Place {
    pub(crate) const START: Place = Place { offset: 0, when: None, may_be_null: false, name: "value\0" };

    /// A part at this offset. The name ends with a zero byte.
    pub fn new(offset: usize, name: &'static str) -> Place {
        Place { offset, name, ..Place::START }
    }

    /// This part, meaningful only while the int at an offset has a value.
    pub fn when(self, tag_at: usize, tag: i32) -> Place {
        Place { when: Some((tag_at, tag)), ..self }
    }

    pub(crate) fn or_null(self) -> Place {
        Place { may_be_null: true, ..self }
    }
}

/// The offset of a part with this alignment behind what ends at `end`.
pub const fn after(end: usize, align: usize) -> usize {
    end.next_multiple_of(align)
}

/// The largest of some numbers.
pub const fn largest(numbers: &[usize]) -> usize {
    let (mut largest, mut index) = (1, 0);
    while index < numbers.len() {
        if numbers[index] > largest {
            largest = numbers[index];
        }
        index += 1;
    }
    largest
}
