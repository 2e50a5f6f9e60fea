//! `just bench figures`: results as pictures. Times by length are curves, on scales of powers; a guest's time by a native
//! program's is a bar from the line where both are level, to the left where the guest is ahead.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::record::{self, Line, Record};

/// Colours of a page.
struct Theme {
    name: &'static str,
    text: &'static str,
    muted: &'static str,
    grid: &'static str,
    /// Of curves, the guest's first.
    curves: [&'static str; 3],
    ahead: &'static str,
    behind: &'static str,
}

const THEMES: [Theme; 2] = [
    Theme {
        name: "light",
        text: "#1c2128",
        muted: "#59636e",
        grid: "#d8dee4",
        curves: ["#0f62a8", "#b35900", "#57803c"],
        ahead: "#0f62a8",
        behind: "#b35900",
    },
    Theme {
        name: "dark",
        text: "#e6edf3",
        muted: "#9198a1",
        grid: "#30363d",
        curves: ["#58a6ff", "#f0974a", "#8fc26b"],
        ahead: "#58a6ff",
        behind: "#f0974a",
    },
];

/// What is drawn of a benchmark.
enum Form {
    /// The times of all competitors for one thing, by length.
    Curves { what: &'static str },
    /// How a guest compares with others of that name.
    Bars { against: &'static str },
}

struct Figure {
    benchmark: &'static str,
    title: &'static str,
    form: Form,
}

const FIGURES: [Figure; 6] = [
    Figure {
        benchmark: "pingpong",
        title: "Half a round trip between two ranks of one machine, by bytes",
        form: Form::Curves { what: "pingpong" },
    },
    Figure {
        benchmark: "rma",
        title: "One-sided operations: time by the better native library's",
        form: Form::Bars { against: "native" },
    },
    Figure {
        benchmark: "compute",
        title: "Kernels on one core: time by that of clang -O3",
        form: Form::Bars { against: "clang" },
    },
    Figure {
        benchmark: "libc",
        title: "Functions of the C library: time by that of the machine's own",
        form: Form::Bars { against: "native" },
    },
    Figure {
        benchmark: "math",
        title: "The host's mathematics: time by that of OpenBLAS and FFTW",
        form: Form::Bars { against: "native" },
    },
    Figure {
        benchmark: "openmp",
        title: "OpenMP's constructs: time by that of libomp",
        form: Form::Bars { against: "libomp" },
    },
];

const WIDTH: f64 = 720.0;
/// Where the drawing ends on the right; labels follow.
const RIGHT: f64 = 600.0;

/// Draws what there are results of.
pub fn run(results: &Path, out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    for figure in &FIGURES {
        let path = record::path(results, figure.benchmark);
        if !path.exists() {
            eprintln!("no results of {}: ./x bench {0} measures it", figure.benchmark);
            continue;
        }
        let record = Record::read(&path)?;
        for theme in &THEMES {
            let path = out.join(format!("{}-{}.svg", figure.benchmark, theme.name));
            fs::write(&path, figure.draw(&record, theme)).with_context(|| path.display().to_string())?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

impl Figure {
    fn draw(&self, record: &Record, theme: &Theme) -> String {
        let (height, drawing) = match self.form {
            Form::Curves { what } => curves(&record.lines, what, theme),
            Form::Bars { against } => bars(&record.lines, against, theme),
        };
        let title = escaped(self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"{}\">\n\
             <text x=\"12\" y=\"24\" font-size=\"15\" font-weight=\"600\">{title}</text>\n{drawing}</svg>\n",
            theme.text
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, words: &str) {
    let words = escaped(words);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{words}</text>");
}

fn rule(svg: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>");
}

/// From a value to a place, by powers.
struct Scale {
    values: (f64, f64),
    places: (f64, f64),
}

impl Scale {
    fn place(&self, value: f64) -> f64 {
        let part = (value / self.values.0).ln() / (self.values.1 / self.values.0).ln();
        self.places.0 + part * (self.places.1 - self.places.0)
    }
}

/// The smallest and largest of some, moved outwards to powers of `base`.
fn ends(values: impl Iterator<Item = f64>, base: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)));
    (base.powf(low.log(base).floor()), base.powf(high.log(base).ceil()))
}

/// Bytes as people say them.
fn bytes(count: f64) -> String {
    match count as u64 {
        count if count >= 1 << 20 => format!("{} MiB", count >> 20),
        count if count >= 1 << 10 => format!("{} KiB", count >> 10),
        count => count.to_string(),
    }
}

/// Seconds as people say them.
fn seconds(value: f64) -> String {
    let (scale, unit) = [(1.0, "s"), (1e3, "ms"), (1e6, "µs")]
        .into_iter()
        .find(|(scale, _)| value * scale >= 0.999)
        .unwrap_or((1e9, "ns"));
    format!("{} {unit}", (value * scale * 100.0).round() / 100.0)
}

fn curves(lines: &[Line], what: &str, theme: &Theme) -> (f64, String) {
    let (top, bottom) = (48.0, 348.0);
    let of: Vec<&Line> = lines.iter().filter(|line| line.what == what && line.bytes > 0).collect();
    let mut names: Vec<&str> = Vec::new();
    for line in &of {
        if !names.contains(&line.competitor.as_str()) {
            names.push(&line.competitor);
        }
    }
    // The guest has the first colour.
    names.sort_by_key(|name| !name.starts_with(record::GUEST));
    let lengths: Vec<f64> = of.iter().map(|line| line.bytes as f64).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
    let x = Scale { values: (shortest, longest), places: (70.0, RIGHT) };
    let y = Scale { values: ends(of.iter().map(|line| line.best()), 10.0), places: (bottom, top) };
    let mut svg = String::new();
    let mut tick = y.values.0;
    while tick <= y.values.1 * 1.001 {
        rule(&mut svg, (70.0, y.place(tick)), (RIGHT, y.place(tick)), theme.grid);
        text(&mut svg, (62.0, y.place(tick) + 4.0), "end", theme.muted, &seconds(tick));
        tick *= 10.0;
    }
    let mut ticks = lengths.clone();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    let mut free = 0.0;
    for tick in ticks {
        if x.place(tick) >= free {
            text(&mut svg, (x.place(tick), bottom + 20.0), "middle", theme.muted, &bytes(tick));
            free = x.place(tick) + 52.0;
        }
    }
    let mut labels: Vec<(f64, usize)> = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let own: Vec<&&Line> = of.iter().filter(|line| line.competitor == *name).collect();
        let points: Vec<String> =
            own.iter().map(|line| format!("{:.1},{:.1}", x.place(line.bytes as f64), y.place(line.best()))).collect();
        let colour = theme.curves[number % theme.curves.len()];
        let points = points.join(" ");
        let _ = writeln!(svg, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>");
        for line in &own {
            let (x, y) = (x.place(line.bytes as f64), y.place(line.best()));
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        if let Some(last) = own.last() {
            labels.push((y.place(last.best()), number));
        }
    }
    // None over another.
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = top;
    for (at, number) in labels {
        let at = at.max(free);
        text(&mut svg, (RIGHT + 10.0, at + 4.0), "start", theme.curves[number % theme.curves.len()], names[number]);
        free = at + 17.0;
    }
    (bottom + 36.0, svg)
}

fn bars(lines: &[Line], against: &str, theme: &Theme) -> (f64, String) {
    const ROW: f64 = 20.0;
    let rows: Vec<(&Line, [f64; 3])> =
        lines.iter().filter_map(|line| Some((line, *line.ratio.get(against)?))).collect();
    let (top, left) = (64.0, 190.0);
    let bottom = top + ROW * rows.len() as f64;
    let all = rows.iter().flat_map(|(_, ratio)| *ratio).chain([0.6, 1.6]);
    let x = Scale { values: ends(all, 2.0), places: (left, RIGHT) };
    let mut svg = String::new();
    text(&mut svg, (left - 10.0, top - 12.0), "end", theme.muted, "times as long");
    let mut tick = x.values.0;
    while tick <= x.values.1 * 1.001 {
        let is_level = (tick - 1.0).abs() < 1e-9;
        rule(
            &mut svg,
            (x.place(tick), top - 6.0),
            (x.place(tick), bottom),
            if is_level { theme.muted } else { theme.grid },
        );
        let words = if is_level { "level".to_owned() } else { format!("{tick}") };
        text(&mut svg, (x.place(tick), top - 12.0), "middle", theme.muted, &words);
        tick *= 2.0;
    }
    for (index, (line, [low, median, high])) in rows.iter().enumerate() {
        let middle = top + ROW * (index as f64 + 0.5);
        let label =
            if line.bytes > 0 { format!("{}, {}", line.what, bytes(line.bytes as f64)) } else { line.what.clone() };
        text(&mut svg, (left - 10.0, middle + 4.0), "end", theme.text, &label);
        let (from, to) = (x.place(1.0).min(x.place(*median)), x.place(1.0).max(x.place(*median)));
        let colour = if *median <= 1.0 { theme.ahead } else { theme.behind };
        let (y, width) = (middle - 6.0, (to - from).max(1.0));
        let _ =
            writeln!(svg, "<rect x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"12\" fill=\"{colour}\"/>");
        rule(&mut svg, (x.place(*low), middle), (x.place(*high), middle), theme.text);
        let (at, anchor) = if *median <= 1.0 {
            (x.place(low.min(*median)) - 6.0, "end")
        } else {
            (x.place(high.max(*median)) + 6.0, "start")
        };
        let (at, anchor) = if at < left + 34.0 { (x.place(1.0) + 6.0, "start") } else { (at, anchor) };
        text(&mut svg, (at, middle + 4.0), anchor, theme.muted, &format!("{median:.2}"));
    }
    (bottom + 16.0, svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twins::root;

    fn line(what: &str, bytes: u64, competitor: &str, best: f64) -> Line {
        let ratio =
            if competitor.starts_with(record::GUEST) { vec![("native".to_owned(), [0.5, 0.6, 2.5])] } else { vec![] };
        Line {
            what: what.into(),
            bytes,
            competitor: competitor.into(),
            seconds: vec![best],
            ratio: ratio.into_iter().collect(),
            ..Line::default()
        }
    }

    #[test]
    fn a_scale_has_powers() {
        let scale = Scale { values: ends([0.3, 5.0].into_iter(), 2.0), places: (0.0, 100.0) };
        assert_eq!(scale.values, (0.25, 8.0));
        assert!((scale.place(0.25), scale.place(8.0)) == (0.0, 100.0) && (scale.place(1.0) - 40.0).abs() < 1e-9);
        assert_eq!(
            [seconds(1e-7), seconds(2.5e-6), seconds(1.0), bytes(65536.0)],
            ["100 ns", "2.5 µs", "1 s", "64 KiB"]
        );
    }

    /// `./x bench figures` draws them again.
    #[test]
    fn pictures_are_of_these_results() {
        for figure in &FIGURES {
            let Ok(record) = Record::read(&record::path(&root().join("bench/results"), figure.benchmark)) else {
                continue;
            };
            for theme in &THEMES {
                let name = format!("docs/figures/{}-{}.svg", figure.benchmark, theme.name);
                let kept = fs::read_to_string(root().join(&name)).unwrap_or_default();
                assert!(kept == figure.draw(&record, theme), "{name} is not of these results: ./x bench figures");
            }
        }
    }

    #[test]
    fn pictures_name_what_they_show() {
        let lines =
            [line("put", 8, "MPICH", 1e-6), line("put", 8, "rankine local", 1e-7), line("put", 4096, "MPICH", 2e-6)];
        let (_, drawn) = curves(&lines, "put", &THEMES[0]);
        assert!(
            drawn.contains(">rankine local</text>")
                && drawn.contains(">4 KiB</text>")
                && drawn.matches("<polyline").count() == 2
        );
        let (_, drawn) = bars(&[line("a<b", 8, "rankine local", 1.0)], "native", &THEMES[1]);
        assert!(drawn.contains(">a&lt;b, 8</text>") && drawn.contains(">0.60</text>") && !drawn.contains("NaN"));
    }
}
