//! Colour maps in which equal steps look equal, also to most who are colour-blind: ten colours each, and between them what
//! lies between.

/// A map's name and its colours.
pub struct Map {
    /// What people call it.
    pub name: &'static str,
    colours: [u32; 10],
}

/// All maps; a page begins with the first.
pub const MAPS: [Map; 5] = [
    Map {
        name: "viridis",
        colours: [0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725],
    },
    Map {
        name: "inferno",
        colours: [0x000004, 0x1b0c42, 0x4b0c6b, 0x781c6d, 0xa52c60, 0xcf4446, 0xed6925, 0xfb9a06, 0xf7d03c, 0xfcffa4],
    },
    Map {
        name: "magma",
        colours: [0x000004, 0x180f3e, 0x451077, 0x721f81, 0x9f2f7f, 0xcd4071, 0xf1605d, 0xfd9567, 0xfec98d, 0xfcfdbf],
    },
    Map {
        name: "cividis",
        colours: [0x00204d, 0x00336f, 0x39486b, 0x575c6d, 0x707173, 0x8a8779, 0xa69d75, 0xc4b56c, 0xe4cf5b, 0xffea46],
    },
    Map {
        name: "grey",
        colours: [0x000000, 0x1c1c1c, 0x393939, 0x555555, 0x717171, 0x8e8e8e, 0xaaaaaa, 0xc6c6c6, 0xe3e3e3, 0xffffff],
    },
];

/// Colours of a texture: red, green, blue, opaque.
pub const SHADES: usize = 256;

impl Map {
    /// All shades, from the least to the greatest value.
    pub fn shades(&self) -> [u8; 4 * SHADES] {
        std::array::from_fn(|byte| {
            let place = (byte / 4) as f32 / (SHADES - 1) as f32 * (self.colours.len() - 1) as f32;
            let below = (place as usize).min(self.colours.len() - 2);
            let part = |colour: u32| ((colour >> (16 - 8 * (byte % 4))) & 0xff) as f32;
            match byte % 4 {
                3 => 255,
                _ => {
                    let (from, to) = (part(self.colours[below]), part(self.colours[below + 1]));
                    (from + (to - from) * (place - below as f32)).round() as u8
                }
            }
        })
    }
}
