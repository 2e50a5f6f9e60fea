//! The first bytes of messages, letters and controls: one list for who writes them and who reads them.
//!
//! Numbers stay what they are, as recordings have them: what is new gets the next one.

/// Makes an enum of bytes, with the byte of each written once.
macro_rules! tags {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $tag:ident = $byte:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $name {
            $($(#[$of])* $tag = $byte,)*
        }

        impl $name {
            /// The one that a byte stands for.
            pub(crate) fn of(byte: u8) -> Option<$name> {
                match byte {
                    $($byte => Some($name::$tag),)*
                    _ => None,
                }
            }
        }

        impl From<$name> for u8 {
            fn from(tag: $name) -> u8 {
                tag as u8
            }
        }
    };
}

tags! {
    /// What a message to a page is: a variant of [`crate::Said`], or of a form that one of them has.
    SaidTag {
        Hello = 0,
        /// A field of two dimensions, without arrows.
        Field = 1,
        Curve = 2,
        Text = 3,
        Control = 4,
        Paused = 5,
        Notice = 6,
        Ended = 7,
        /// What ranks did, without a load: as recordings of the first version have it.
        Ranks = 8,
        Traffic = 9,
        Recording = 10,
        Anew = 11,
        At = 12,
        Points = 13,
        /// A plane of a field of three dimensions, without arrows.
        Cut = 14,
        Description = 15,
        /// A field, or a plane of one, with arrows.
        Arrows = 16,
        Untold = 17,
        /// What ranks did, with a load.
        Load = 18,
    }
}

tags! {
    /// What can be steered, [`crate::Kind`].
    KindTag {
        Number = 0,
        Choice = 1,
        Button = 2,
    }
}

tags! {
    /// What a page asks for, [`crate::Asked`].
    AskedTag {
        Set = 0,
        Drawn = 1,
        Size = 2,
        Pause = 3,
        Step = 4,
        Show = 5,
        Play = 6,
        Cut = 7,
    }
}

tags! {
    /// What processes say to each other, [`crate::Between`].
    BetweenTag {
        Said = 0,
        Part = 1,
        Cloud = 2,
        Memory = 3,
        Late = 4,
        Left = 5,
        Wanted = 6,
        Doing = 7,
        Moved = 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stands_for_the_tag_that_is_written_as_it() {
        for byte in 0..=u8::MAX {
            assert!(SaidTag::of(byte).is_none_or(|tag| u8::from(tag) == byte));
            assert!(BetweenTag::of(byte).is_none_or(|tag| u8::from(tag) == byte));
        }
        assert_eq!((SaidTag::of(18), SaidTag::of(19)), (Some(SaidTag::Load), None));
        assert_eq!((KindTag::of(3), AskedTag::of(8), BetweenTag::of(9)), (None, None, None));
    }
}
