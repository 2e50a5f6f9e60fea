//! A profile as a table, and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::ledger::{Ledger, Line};
use super::{PoisonError, Profile};
use rankine_system::shown;

/// What a profile says.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The job ended before its processes could tell the first one: this is what one of them has counted.
    is_part: bool,
    ranks: Vec<OfRank>,
    /// By function, those first that take longest.
    functions: Vec<Row>,
    /// By function and the place that calls it.
    places: Vec<Row>,
}

/// What a rank has done.
#[derive(Debug, Serialize)]
struct OfRank {
    rank: String,
    seconds: f64,
    mpi_seconds: f64,
    waiting_seconds: Option<f64>,
}

/// Calls of a function by all ranks.
#[derive(Debug, Serialize)]
struct Row {
    function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    calls: u64,
    bytes: u64,
    seconds: f64,
    waiting_seconds: Option<f64>,
    /// Of the time that all ranks have run.
    share: f64,
    /// The longest time that a rank spent there, as a multiple of the mean of all ranks.
    imbalance: f64,
}

/// Rows of the table that are shown.
const SHOWN: usize = 20;
/// Ranks of it.
const RANKS: usize = 16;
/// A sum of no floating-point numbers is -0.0, and is shown so.
const NOTHING: f64 = 0.0;

impl Profile {
    /// What has been counted; nothing if another process says it.
    pub(crate) fn report(&self) -> Option<Report> {
        let gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner).take();
        match gathered {
            Some(ledgers) if ledgers.is_empty() => None,
            Some(ledgers) => Some(Report::of(ledgers, false)),
            None => Some(Report::of(self.here(), !self.has_all_ranks)),
        }
    }
}

impl Report {
    fn of(mut ledgers: Vec<Ledger>, is_part: bool) -> Report {
        // 10 behind 9.
        ledgers.sort_by_key(|ledger| (ledger.rank.len(), ledger.rank.clone()));
        let all: f64 = ledgers.iter().map(|ledger| ledger.seconds).sum();
        let rows = |with_place: bool| {
            let mut rows: BTreeMap<(String, Option<String>), Sum> = BTreeMap::new();
            for (rank, ledger) in ledgers.iter().enumerate() {
                for line in &ledger.lines {
                    let place = with_place.then(|| line.place.clone());
                    rows.entry((line.function.clone(), place)).or_default().add(rank, line);
                }
            }
            let row = |((function, place), sum): ((String, Option<String>), Sum)| {
                sum.row(function, place, all, ledgers.len())
            };
            let mut rows: Vec<Row> = rows.into_iter().map(row).collect();
            rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
            rows
        };
        let (functions, places) = (rows(false), rows(true));
        let ranks = ledgers.iter().map(|ledger| OfRank {
            rank: ledger.rank.clone(),
            seconds: ledger.seconds,
            mpi_seconds: NOTHING + ledger.lines.iter().map(|line| line.seconds).sum::<f64>(),
            waiting_seconds: ledger.lines.iter().map(|line| line.waiting).sum::<Option<f64>>().map(|all| NOTHING + all),
        });
        Report { is_part, ranks: ranks.collect(), functions, places }
    }

    /// The table.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let all: f64 = self.ranks.iter().map(|rank| rank.seconds).sum();
        let inside = NOTHING + self.ranks.iter().map(|rank| rank.mpi_seconds).sum::<f64>();
        let (count, share) = (self.ranks.len(), share(inside, all));
        let who = match (self.is_part, count) {
            (true, 1) => format!("rank {} alone, as the job ended before MPI_Finalize", self.ranks[0].rank),
            (_, 1) => "1 rank".into(),
            _ => format!("{count} ranks"),
        };
        let most = self.ranks.iter().map(|rank| rank.seconds).fold(0.0, f64::max);
        writeln!(out, "rankine: profile of {who}: {most:.3} s, {share:.1} % of the ranks' time in MPI")?;
        writeln!(out, "\n{:>12} {:>11} {:>11} {:>7} {:>11}", "rank", "seconds", "in MPI", "%", "waiting")?;
        let shown = if count <= RANKS { 0..0 } else { RANKS / 2..count - RANKS / 2 };
        for (at, rank) in self.ranks.iter().enumerate() {
            if at == shown.start && !shown.is_empty() {
                writeln!(out, "{:>12}", format!("... {} more", shown.len()))?;
            }
            if !shown.contains(&at) {
                let OfRank { rank, seconds, mpi_seconds, waiting_seconds } = rank;
                let (share, waiting) = (self::share(*mpi_seconds, *seconds), of_waiting(*waiting_seconds));
                writeln!(out, "{rank:>12} {seconds:>11.3} {mpi_seconds:>11.3} {share:>7.1} {waiting:>11}")?;
            }
        }
        if self.functions.is_empty() {
            return writeln!(out, "\nno function of MPI was called");
        }
        write_rows(out, "function", &self.functions)?;
        write_rows(out, "function, and where it is called", &self.places)?;
        out.write_str(COLUMNS)?;
        let Some(place) = self.places.first().filter(|_| count > 1) else { return Ok(()) };
        writeln!(out, "{}", next(place))
    }
}

/// What the columns are.
const COLUMNS: &str = "
seconds: of all ranks together; %: of the time that they ran; waiting: what of the seconds passed until others had
come; max/mean: the rank that spent most time there against the mean of all, 1 if all are alike
";

/// What to look at next, by the place that takes most time.
fn next(place: &Row) -> String {
    const MUCH: f64 = 0.05;
    const SHORT: u64 = 4096;
    let at = place.place.as_deref().unwrap_or_default();
    let (calls, function) = (place.calls.max(1), &place.function);
    let waits = place.waiting_seconds.is_some_and(|waiting| waiting > place.seconds / 2.0);
    match () {
        () if place.share < MUCH => {
            "next: little of the time is in MPI; `rankine run --perf` says where the rest is".into()
        }
        () if waits => format!(
            "next: {function} at {at} mostly waits: ranks have unequal work before it, or one computes what others need; \
             `rankine run --record=FILE` shows who when"
        ),
        () if place.bytes / calls < SHORT => {
            format!("next: {function} at {at} moves {} bytes a time: fewer and longer messages", place.bytes / calls)
        }
        () => format!("next: {function} at {at} moves much: send less, or while ranks compute (MPI_Isend)"),
    }
}

fn write_rows(out: &mut String, title: &str, rows: &[Row]) -> std::fmt::Result {
    let (calls, bytes, seconds, waiting) = ("calls", "bytes", "seconds", "waiting");
    writeln!(out, "\n{calls:>12} {bytes:>15} {seconds:>11} {:>7} {waiting:>11} {:>9}  {title}", "%", "max/mean")?;
    for Row { function, place, calls, bytes, seconds, waiting_seconds, share, imbalance } in rows.iter().take(SHOWN) {
        let waiting = of_waiting(*waiting_seconds);
        write!(out, "{calls:>12} {bytes:>15} {seconds:>11.3} {:>7.1} {waiting:>11} {imbalance:>9.2}  ", share * 100.0)?;
        match place {
            Some(place) => writeln!(out, "{function}  {}", shown::line(place))?,
            None => writeln!(out, "{function}")?,
        }
    }
    match rows.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "{:>12} and {more} more, which --profile=FILE.json has", "..."),
    }
}

fn of_waiting(seconds: Option<f64>) -> String {
    seconds.map_or("-".into(), |seconds| format!("{seconds:.3}"))
}

/// How many per cent one time is of another.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

/// What lines of several ranks are together.
#[derive(Default)]
struct Sum {
    calls: u64,
    bytes: u64,
    seconds: f64,
    waiting: Option<f64>,
    /// Of the rank whose lines came last, and of the rank with most.
    last: (usize, f64),
    most: f64,
}

impl Sum {
    /// Adds a line of a rank; those of each come one after another.
    fn add(&mut self, rank: usize, line: &Line) {
        self.calls = self.calls.saturating_add(line.calls);
        self.bytes = self.bytes.saturating_add(line.bytes);
        self.seconds += line.seconds;
        self.waiting = line.waiting.map(|waiting| self.waiting.unwrap_or(0.0) + waiting);
        let before = if self.last.0 == rank { self.last.1 } else { 0.0 };
        self.last = (rank, before + line.seconds);
        self.most = self.most.max(self.last.1);
    }

    fn row(self, function: String, place: Option<String>, all: f64, ranks: usize) -> Row {
        let mean = self.seconds / ranks as f64;
        Row {
            function,
            place,
            calls: self.calls,
            bytes: self.bytes,
            seconds: self.seconds,
            waiting_seconds: self.waiting,
            share: share(self.seconds, all) / 100.0,
            imbalance: if mean > 0.0 { self.most / mean } else { 1.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(function: &str, place: &str, seconds: f64) -> Line {
        Line { function: function.into(), place: place.into(), calls: 2, bytes: 8, seconds, waiting: Some(0.5) }
    }

    #[test]
    fn rows_are_added_up_over_ranks() {
        let ledger = |rank: &str, lines| Ledger { rank: rank.into(), seconds: 10.0, lines };
        let ledgers = vec![
            ledger("10", vec![line("MPI_Send", "main (a.c:1:1)", 1.0)]),
            ledger("9", vec![line("MPI_Send", "main (a.c:1:1)", 2.0), line("MPI_Send", "f (a.c:9:1)", 1.0)]),
        ];
        let report = Report::of(ledgers, false);
        assert_eq!(report.ranks.iter().map(|rank| rank.rank.as_str()).collect::<Vec<_>>(), ["9", "10"]);
        let [send] = &report.functions[..] else { panic!("{report:?}") };
        assert_eq!((send.calls, send.bytes, send.seconds, send.waiting_seconds), (6, 24, 4.0, Some(1.5)));
        assert_eq!((send.share, send.imbalance), (0.2, 1.5));
        assert_eq!(report.places.len(), 2);
        let table = report.table();
        assert!(
            table.starts_with("rankine: profile of 2 ranks: 10.000 s, 20.0 % of the ranks' time in MPI\n"),
            "{table}"
        );
        assert!(table.contains("1.33  MPI_Send  main (a.c:1:1)\n"), "{table}");
        assert!(
            table.contains("\nseconds: of all ranks together; ") && table.contains("max/mean: the rank"),
            "{table}"
        );
        assert!(
            table.ends_with("next: MPI_Send at main (a.c:1:1) moves 4 bytes a time: fewer and longer messages\n"),
            "{table}"
        );
    }

    #[test]
    fn a_program_without_mpi_has_spent_nothing_there() {
        let ledgers = vec![Ledger { rank: "0".into(), seconds: 1.0, lines: Vec::new() }];
        let table = Report::of(ledgers, false).table();
        assert!(
            table.contains("1 rank: 1.000 s, 0.0 % of") && table.ends_with("\nno function of MPI was called\n"),
            "{table}"
        );
        assert!(!table.contains("-0.0"), "{table}");
    }

    #[test]
    fn places_are_one_line() {
        let ledgers =
            vec![Ledger { rank: "0".into(), seconds: 1.0, lines: vec![line("MPI_Send", "a\nrankine: b", 1.0)] }];
        assert!(Report::of(ledgers, false).table().contains("MPI_Send  a?rankine: b\n"));
    }

    #[test]
    fn long_tables_are_cut() {
        let lines = (0..30).map(|n| line("MPI_Send", &format!("place {n}"), 1.0)).collect();
        let ledgers = vec![Ledger { rank: "0".into(), seconds: 100.0, lines }; 40];
        let table = Report::of(ledgers, false).table();
        assert!(
            table.contains("... 24 more\n") && table.contains("... and 10 more, which --profile=FILE.json"),
            "{table}"
        );
    }
}
