//! The table of powers of ten that the C library's numbers are computed by, computed anew.

/// The upper 128 bits of a power of ten, the rest cut off.
fn upper_bits(power: i32) -> u128 {
    // Enough bits for 10^351 and for what is left of its inverse, the lowest word first.
    let mut words = vec![0u32; 96];
    let (start, times) = if power >= 0 { (0, power) } else { (95, -power) };
    words[start] = if power >= 0 { 1 } else { 1 << 31 };
    for _ in 0..times {
        if power >= 0 {
            let mut carried = 0;
            for word in &mut words {
                carried += u64::from(*word) * 10;
                *word = carried as u32;
                carried >>= 32;
            }
        } else {
            // A power of two divided by five is as good: ten is twice that. Quotients that are cut off one by one are as the
            // whole one cut off.
            let mut left = 0;
            for word in words.iter_mut().rev() {
                left = left << 32 | u64::from(*word);
                *word = (left / 5) as u32;
                left %= 5;
            }
        }
    }
    let top = words.iter().rposition(|word| *word != 0).unwrap();
    let five = (0..5).map(|below| top.checked_sub(below).map_or(0, |at| words[at]));
    let (high, low) = five.fold((0u128, 0u32), |(high, low), word| (high << 32 | u128::from(low), word));
    let shift = high.leading_zeros();
    if shift == 0 { high } else { high << shift | u128::from(low >> (32 - shift)) }
}

/// The numbers of a table, by the words before it.
fn table(text: &str, name: &str) -> Vec<u64> {
    let begin = text.find(name).unwrap();
    let body = &text[begin..][text[begin..].find('{').unwrap()..];
    let body = &body[..body.find("};").unwrap()];
    let words = body.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => word.trim_end_matches('u').parse().unwrap(),
    };
    words.map(number).collect()
}

#[test]
fn the_tables_of_powers_are_right() {
    let text = crate::embedded::file(&crate::embedded::C, "src/libc/powers.h");
    let tens = table(text, "powers_of_ten[][2]");
    assert_eq!(tens.len(), 2 * 26);
    for (power, halves) in (-13..).zip(tens.chunks(2)) {
        let found = u128::from(halves[0]) << 64 | u128::from(halves[1]);
        assert_eq!(found, upper_bits(27 * power), "10^{}", 27 * power);
    }
    let fives = table(text, "powers_of_five[STEP]");
    assert_eq!(fives, (0..27).map(|power| 5u64.pow(power)).collect::<Vec<_>>());
}
