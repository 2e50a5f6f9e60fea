//! Round numbers: where axes have ticks, and contours are drawn.

/// The round number that is as large as this one, or the next larger one: 1, 2 or 5 times a power of ten.
pub(crate) fn round_up(rough: f64) -> f64 {
    let size = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|n| n * size).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * size)
}

/// Round numbers within bounds, about `count` of them.
pub(crate) fn ticks([least, greatest]: [f64; 2], count: f64) -> impl Iterator<Item = f64> {
    let step = round_up((greatest - least) / count);
    let first = (least / step).ceil();
    (0..20).map(move |n| (first + f64::from(n)) * step).take_while(move |tick| *tick <= greatest + step * 1e-9)
}
