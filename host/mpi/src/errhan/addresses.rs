//! Addresses in what a library says about an error: where things lie in the host's memory is none of the guest's business,
//! and says nothing to a person. The guest's own are written as it knows them, others are left out.

use std::ops::Range;

use rankine_abi::MPI_MAX_ERROR_STRING;

/// Greatest number that is no address: libraries write handles of 32 bits in the same way.
const GREATEST_HANDLE: u64 = u32::MAX as u64;
/// Texts of this length may have been cut, so that a number at their end may be the beginning of an address.
const CUT: usize = MPI_MAX_ERROR_STRING as usize - 20;

/// A text with the addresses that lie within `guest` counted from its start, and without others. It is not longer than
/// the text was.
pub(crate) fn told(text: &str, guest: Range<u64>) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let (before, number) = rest.split_at(at);
        let digits = &number[2..];
        let length = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let (digits, after) = digits.split_at(length);
        let is_cut = after.is_empty() && text.len() >= CUT;
        told.push_str(before);
        told.push_str("0x");
        match u64::from_str_radix(digits, 16) {
            Ok(address) if guest.contains(&address) && !is_cut => {
                told.push_str(&format!("{:x}", address - guest.start))
            }
            Ok(number) if number <= GREATEST_HANDLE && !is_cut => told.push_str(digits),
            Err(_) if digits.is_empty() => {}
            _ => told.push_str("..."),
        }
        rest = after;
    }
    told.push_str(rest);
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUEST: Range<u64> = 0x7f00_0000_0000..0x7f01_0000_0000;

    #[test]
    fn addresses_are_the_guests_or_left_out() {
        let text =
            "MPI_Send(buf=0x7f0000001040, count=0x44000000, comm=0x84000000) failed in 0x7ffe12345678: 0x, 12, (nil)";
        let expected = "MPI_Send(buf=0x1040, count=0x44000000, comm=0x84000000) failed in 0x...: 0x, 12, (nil)";
        assert_eq!(told(text, GUEST), expected);
        assert_eq!(told("0xfffffffffffffffff", GUEST), "0x...");
        assert_eq!(told("Überlauf 0x7f00ffffffffß", GUEST), "Überlauf 0xffffffffß");
        assert_eq!(told("no address", GUEST), "no address");
    }

    #[test]
    fn what_was_cut_is_left_out_too() {
        let text = format!("{}0x7f12", " ".repeat(CUT));
        assert!(told(&text, GUEST).ends_with(" 0x..."));
        assert!(told("of 0x7f12", GUEST).ends_with(" 0x7f12"));
    }
}
