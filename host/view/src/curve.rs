//! Curves: points that a program adds, one after another.

use std::sync::Mutex;

use rankine_view_wire::Said;

use crate::lock;

/// Points that are kept. One that has more loses every other one of those it has.
pub(crate) const MOST_POINTS: usize = 1 << 15;

#[derive(Default)]
pub(crate) struct Curve(Mutex<State>);

#[derive(Default)]
struct State {
    points: Vec<[f64; 2]>,
    /// How often points were lost.
    thinned: u32,
    /// Of so many points one is kept.
    every: u64,
    /// Points that were added.
    added: u64,
}

/// What a viewer has of a curve.
#[derive(Copy, Clone, Default)]
pub(crate) struct Seen {
    thinned: u32,
    points: usize,
}

impl Curve {
    /// Adds a point; says whether it is kept.
    pub fn add(&self, x: f64, y: f64) -> bool {
        let state = &mut *lock(&self.0);
        let is_kept = state.added.is_multiple_of(state.every.max(1));
        state.added += 1;
        if !is_kept {
            return false;
        }
        state.points.push([x, y]);
        if state.points.len() == MOST_POINTS {
            let mut index = 0;
            state.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            state.thinned += 1;
            state.every = state.every.max(1) * 2;
        }
        true
    }

    /// What a viewer does not have yet.
    pub fn news(&self, name: &str, seen: &mut Seen) -> Option<Said> {
        let state = lock(&self.0);
        let from = if seen.thinned == state.thinned { seen.points } else { 0 };
        *seen = Seen { thinned: state.thinned, points: state.points.len() };
        let points = state.points[from..].to_vec();
        (!points.is_empty()).then(|| Said::Curve { name: name.to_owned(), from: from as u32, points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewers_get_what_they_have_not() {
        let (curve, mut seen) = (Curve::default(), Seen::default());
        assert!(curve.news("c", &mut seen).is_none());
        curve.add(0.0, 1.0);
        curve.add(1.0, 2.0);
        let Some(Said::Curve { from: 0, points, .. }) = curve.news("c", &mut seen) else { panic!() };
        assert_eq!(points, [[0.0, 1.0], [1.0, 2.0]]);
        curve.add(2.0, 3.0);
        let Some(Said::Curve { from: 2, points, .. }) = curve.news("c", &mut seen) else { panic!() };
        assert_eq!(points, [[2.0, 3.0]]);
        assert!(curve.news("c", &mut seen).is_none());
    }

    #[test]
    fn long_ones_are_thinned_evenly() {
        let (curve, mut seen) = (Curve::default(), Seen::default());
        for n in 0..10 * MOST_POINTS {
            curve.add(n as f64, 0.0);
        }
        let Some(Said::Curve { from: 0, points, .. }) = curve.news("c", &mut seen) else { panic!() };
        assert!(points.len() < MOST_POINTS && points.len() >= MOST_POINTS / 2, "{}", points.len());
        assert!(points.windows(2).all(|pair| pair[1][0] - pair[0][0] == points[1][0]));
    }
}
