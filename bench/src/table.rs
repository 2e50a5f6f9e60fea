//! What the rounds of a benchmark found, and how it is printed.

use crate::record::Line;
use crate::twins::Measurement;

/// What one run of the suite found.
pub struct Results {
    name: &'static str,
    lines: Vec<Line>,
    /// With whom all others are compared, beside the guests with native programs.
    base: Option<&'static str>,
}

fn is_native(line: &Line, base: Option<&str>) -> bool {
    !line.is_guest() && Some(line.competitor.as_str()) != base
}

impl Results {
    pub fn new(name: &'static str, base: Option<&'static str>) -> Results {
        Results { name, lines: Vec::new(), base }
    }

    /// Adds what a competitor measured once, just after a cache line took so long.
    pub fn add(&mut self, competitor: &'static str, floor: f64, found: Measurement) {
        let Measurement { what, bytes, seconds } = found;
        let is_it = |line: &&mut Line| line.what == what && line.bytes == bytes && line.competitor == competitor;
        let line = match self.lines.iter_mut().find(is_it) {
            Some(line) => line,
            None => {
                self.lines.push(Line { what, bytes, competitor: competitor.into(), ..Line::default() });
                self.lines.last_mut().expect("it was just added")
            }
        };
        line.seconds.push(seconds);
        line.floor.push(floor);
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines by what was measured, each with its ratios: guests beside the fastest native program, all others beside the
    /// base.
    pub fn compared(mut self) -> Self {
        self.lines.sort_by(|a, b| (&a.what, a.bytes).cmp(&(&b.what, b.bytes)));
        let base = self.base;
        for row in self.lines.chunk_by_mut(is_same_row) {
            let all = row.to_vec();
            for line in row {
                if line.is_guest()
                    && let Some(ratio) = line.against(all.iter().filter(|other| is_native(other, base)))
                {
                    line.ratio.insert("native".into(), ratio);
                }
                if let Some(base) = base.filter(|base| *base != line.competitor)
                    && let Some(ratio) = line.against(all.iter().filter(|other| other.competitor == base))
                {
                    line.ratio.insert(base.into(), ratio);
                }
            }
        }
        self
    }

    /// Prints a table with columns of these names.
    pub fn print(&self, names: &[&str]) {
        let floors = self.lines.iter().flat_map(|line| &line.floor);
        let (nearest, farthest) =
            floors.fold((f64::INFINITY, 0.0_f64), |(low, high), &one| (low.min(one), high.max(one)));
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let (nearest, farthest) = (nearest * 1e9, farthest * 1e9);
        println!("{} on {cores} cores; a cache line crosses in {nearest:.0} to {farthest:.0} ns\n", self.name);
        print!("{:10} {:>9}", "", "bytes");
        for name in names {
            print!(" {name:>15}");
        }
        println!(" {:>10} {:>9}  ratio: median (quartiles)", "in floors", "added ns");
        self.lines.chunk_by(is_same_row).for_each(|row| print(row, names, self.base));
    }

    /// What is kept.
    pub fn into_lines(self) -> Vec<Line> {
        self.lines
    }
}

fn is_same_row(a: &Line, b: &Line) -> bool {
    (&a.what, a.bytes) == (&b.what, b.bytes)
}

fn print(row: &[Line], names: &[&str], base: Option<&str>) {
    print!("{:10} {:>9}", row[0].what, row[0].bytes);
    for name in names {
        match row.iter().find(|line| line.competitor == *name) {
            Some(line) => print!(" {:>12.3} us", line.best() * 1e6),
            None => print!(" {:>15}", "-"),
        }
    }
    if let Some(ours) = row.iter().find(|line| line.is_guest()) {
        let natives = row.iter().filter(|line| is_native(line, base));
        let native = natives.map(Line::best).min_by(f64::total_cmp);
        let added = native.map_or_else(|| "-".into(), |native| format!("{:.1}", (ours.best() - native) * 1e9));
        let floors = ours.floor_of_best().map_or(f64::NAN, |floor| ours.best() / floor);
        print!(" {floors:>10.2} {added:>9}");
    }
    for line in row {
        for (other, [low, median, high]) in &line.ratio {
            print!("  {} / {other}: {median:.3} ({low:.3} to {high:.3})", line.competitor);
        }
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(base: Option<&'static str>, rounds: &[(&'static str, f64)]) -> Vec<Line> {
        let mut results = Results::new("test", base);
        for &(name, seconds) in rounds {
            results.add(name, 1e-8, Measurement { what: "put".into(), bytes: 8, seconds });
        }
        results.compared().into_lines()
    }

    fn ratio(lines: &[Line], name: &str, other: &str) -> Option<[f64; 3]> {
        lines.iter().find(|line| line.competitor == name)?.ratio.get(other).copied()
    }

    #[test]
    fn a_guest_is_compared_with_the_faster_native_program_of_its_own_round() {
        let rounds = [("MPICH", 2.0), ("Open MPI", 4.0), ("rankine local", 1.0)];
        let later = [("MPICH", 8.0), ("Open MPI", 4.0), ("rankine local", 4.0)];
        let lines = compared(None, &[rounds, later].concat());
        assert_eq!(ratio(&lines, "rankine local", "native"), Some([0.625, 0.75, 0.875]));
        assert_eq!(ratio(&lines, "MPICH", "native"), None);
        assert_eq!(lines[0].best(), 2.0);
    }

    #[test]
    fn all_are_compared_with_the_one_that_is_named_which_is_no_native_program() {
        let lines = compared(Some("raw"), &[("raw", 0.5), ("MPICH", 2.0), ("rankine local", 1.0)]);
        for (name, other, expected) in
            [("MPICH", "raw", 4.0), ("rankine local", "native", 0.5), ("rankine local", "raw", 2.0)]
        {
            assert_eq!(ratio(&lines, name, other), Some([expected; 3]), "{name} / {other}");
        }
        assert_eq!(ratio(&lines, "raw", "raw"), None);
    }

    #[test]
    fn who_has_nobody_to_be_compared_with_has_no_ratio() {
        assert!(compared(None, &[("rankine local", 1.0)])[0].ratio.is_empty());
    }
}
