//! Floating-point numbers that the host's hardware does not have: IEEE quad, which `long double` is in WebAssembly, and
//! half.
//!
//! The arithmetic is that of LLVM's own compiler, so it rounds as the guest's does.

use std::cmp::Ordering;

use rustc_apfloat::{Float, ieee};

use super::kernel::{Number, Ordered, Real, Value};

/// IEEE binary128.
#[derive(Clone, Copy)]
pub(super) struct Quad(u128);

/// IEEE binary16.
#[derive(Clone, Copy)]
pub(super) struct Half(u16);

macro_rules! soft {
    ($name:ident, $bits:ty, $format:ty) => {
        impl $name {
            fn value(self) -> $format {
                <$format>::from_bits(self.0.into())
            }

            fn from_value(value: $format) -> Self {
                $name(value.to_bits() as $bits)
            }
        }

        impl Value for $name {
            const SIZE: usize = size_of::<$bits>();
            fn load(bytes: &[u8]) -> Self {
                $name(<$bits>::from_le_bytes(bytes.try_into().expect("a chunk has the value's size")))
            }
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.0.to_le_bytes());
            }
        }

        impl Ordered for $name {
            fn less(self, other: Self) -> bool {
                self.value().partial_cmp(&other.value()) == Some(Ordering::Less)
            }
        }

        impl Number for $name {
            fn add(self, other: Self) -> Self {
                Self::from_value((self.value() + other.value()).value)
            }
            fn mul(self, other: Self) -> Self {
                Self::from_value((self.value() * other.value()).value)
            }
        }

        impl Real for $name {
            fn neg(self) -> Self {
                Self::from_value(-self.value())
            }
        }
    };
}

soft!(Quad, u128, ieee::Quad);
soft!(Half, u16, ieee::Half);

#[cfg(test)]
mod tests {
    use super::*;

    /// Quad numbers whose value an `f64` has exactly.
    fn quad(value: f64) -> Quad {
        let mut loses = false;
        Quad::from_value(
            rustc_apfloat::FloatConvert::convert(ieee::Double::from_bits(value.to_bits().into()), &mut loses).value,
        )
    }

    /// 2 to the power of `-n`, exactly: `powi` may be off by some units in the last place, and is under Miri.
    fn power_of_a_half(n: u32) -> f64 {
        f64::from_bits(u64::from(1023 - n) << 52)
    }

    #[test]
    fn quad_keeps_what_a_double_loses() {
        let one = quad(1.0);
        assert_eq!(one.0, 0x3fff << 112);
        let tiny = quad(power_of_a_half(100));
        assert_eq!(one.add(tiny).0, (0x3fff << 112) | (1 << 12));
        assert_eq!(one.add(tiny).add(one.neg()).0, tiny.0);
        assert_eq!(quad(3.0).mul(quad(-0.5)).0, quad(-1.5).0);
        assert!(quad(-1.0).less(tiny) && !tiny.less(quad(f64::NAN)));
    }

    #[test]
    fn quad_rounds_to_nearest_even() {
        let one = quad(1.0);
        let half_ulp = quad(power_of_a_half(113));
        assert_eq!(one.add(half_ulp).0, one.0);
        assert_eq!(Quad(one.0 + 1).add(half_ulp).0, one.0 + 2);
        assert_eq!(one.add(half_ulp).add(quad(power_of_a_half(160))).0, one.0);
    }

    #[test]
    fn half() {
        let (one, three) = (Half(0x3c00), Half(0x4200));
        assert_eq!(one.add(three).0, 0x4400);
        assert_eq!(three.mul(three).0, 0x4880);
        assert!(one.less(three));
    }
}
