//! What Fortran shows and steers by the module `rankine_view`.

use std::process::Command;

use libtest_mimic::Failed;
use rankine_view_wire::{Description, Field, Kind, Said};

use super::chromium::LIMIT;
use super::process::{Ended, run_within};
use super::{Site, check};

pub fn fortran_shows_and_steers(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "3"], 4, &[])?;
    let mut visitor = site.visit(&job)?;
    visitor.set("level", 2.0)?;
    visitor.set("shape", 1.0)?;
    let mut seen: Vec<String> = Vec::new();
    let mut text = String::new();
    // All fields at the new level, which begin at the old one; and both curves.
    let mut told: Vec<Description> = Vec::new();
    while seen.len() < 11 {
        let (name, is_there) = match visitor.hear()? {
            Said::Description(description) => {
                told.push(description);
                continue;
            }
            Said::Field(field) if field.name == "flow" => {
                let arrows = field.arrows.as_ref().ok_or("a field with arrows")?;
                let [right, down] = [&arrows.parts[0].right, &arrows.parts[0].down];
                let is_right = field.numbers() == [7.0; 4] && right.values == [2.0; 4] && down.values == [3.0; 4];
                check(is_right, || format!("{field:?}"))?;
                (field.name, true)
            }
            Said::Field(field) => {
                let is_box = field.name == "box";
                let expected: Vec<f32> = if is_box {
                    // The fourth of its six planes, which is the seventh of those in memory.
                    (0..12).map(|n| (1 + 2 * (n % 4) + 100 * (1 + 2 * (n / 4)) + 7000) as f32).collect()
                } else {
                    (0..63).map(|n| (1 + n % 7 + 100 * (1 + n / 7) + 2000) as f32).collect()
                };
                let numbers = field.numbers();
                let at_first: Vec<f32> = expected.iter().map(|number| number - 1000.0).collect();
                if field.name == "wind" {
                    check_wind(&field)?;
                }
                let is_known = numbers == expected || !is_box && numbers == at_first;
                check(is_known && field.name != "outside", || format!("{}: {numbers:?}", field.name))?;
                (field.name, numbers == expected)
            }
            Said::Points(points) => {
                let columns = points.columns();
                let expected: Vec<Vec<f32>> = if points.name == "bodies" {
                    let of = |number: fn(i32, i32) -> i32| {
                        (0..3).flat_map(|rank| (1..4).map(move |i| number(rank, i) as f32)).collect()
                    };
                    vec![of(|rank, _| rank), of(|_, i| i), of(|_, _| 7), of(|rank, i| 10 * rank + i)]
                } else {
                    vec![vec![0.0; 3], vec![1.0, 2.0, 3.0]]
                };
                // Ranks come in any order.
                let rows = |columns: &[Vec<f32>]| {
                    let row = |n: usize| columns.iter().map(|column| column[n] as i32).collect();
                    let mut rows: Vec<Vec<i32>> = (0..columns[0].len()).map(row).collect();
                    rows.sort_unstable();
                    rows
                };
                check(rows(&columns) == rows(&expected), || format!("{}: {columns:?}", points.name))?;
                let bounds = match &points.name[..] {
                    "bodies" => [[-1.0, 4.0], [0.0, 4.0], [0.0, 9.0]],
                    _ => [[0.0, 0.0], [1.0, 3.0], points.bounds[2]],
                };
                check(points.bounds == bounds, || format!("{}: {:?}", points.name, points.bounds))?;
                (points.name, true)
            }
            Said::Curve { name, points, .. } => {
                let far = if name == "half" { 0.5 } else { 1.0 };
                let is_even = points.windows(2).all(|pair| pair[1][0] - pair[0][0] == far);
                check(is_even, || format!("{name}: {points:?}"))?;
                (name, points.last().is_some_and(|[_, y]| *y == 2.0))
            }
            Said::Text { name, text: shown } if name == "what" => {
                text = shown;
                continue;
            }
            _ => continue,
        };
        if is_there && !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen.sort_unstable();
    check(seen.join(" ") == "alone bodies box cells flow half level long single u wind", || seen.join(" "))?;
    check(text == "a text & <i>no markup</i>", || text)?;
    // It grows piece by piece: the last has all.
    let of = |name: &str| told.iter().rev().find(|description| description.name == name).ok_or("a description");
    let (wind, level) = (of("wind")?, of("level")?);
    let is_told = wind.unit == "m/s" && wind.range == Some([0.0, 3000.0]) && wind.axes[0].at(1.0) == 1.0;
    let has_titles = [wind.title(0), wind.title(1)] == ["height (km)", "y (mi)"];
    check(is_told && has_titles && (&level.unit[..], level.range) == ("rungs", None), || format!("{told:?}"))?;
    let shape = visitor.controls.iter().find(|(name, ..)| name == "shape").map(|(_, _, kind, _)| kind.clone());
    let labels = Some(Kind::Choice(vec!["round".into(), "square".into()]));
    check(shape == labels, || format!("{shape:?}"))?;
    visitor.set("stop", 1.0)?;
    let (status, printed, errors) = job.end()?;
    let is_said = errors.contains("`outside`: dimension 0: 2 indices from -1 on are not within the extent 2");
    check(status == 0 && printed == "stopped at level 2.0, shape 2\n" && is_said, || {
        format!("{status}: {printed}{errors}")
    })?;
    // And without a view it is a program like any other.
    let mut command = Command::new(&site.places.rankine);
    command.args(["run", "-n", "3"]).arg(site.guest(4)?);
    let run = run_within(command, None, LIMIT)?;
    let is_quiet = run.stdout == "stopped at level 1.0, shape 1\n" && run.stderr.is_empty();
    check(run.ended == Ended::Status(0) && is_quiet, || run.to_string())
}

/// Vectors that Fortran has published: i to the right, and j downwards.
fn check_wind(field: &Field) -> Result<(), Failed> {
    let arrows = field.arrows.as_ref().ok_or("a field with arrows")?;
    for part in &arrows.parts {
        let columns = part.right.count[1] as usize;
        let place =
            |n: usize| [part.right.start[0] as usize + n / columns + 1, part.right.start[1] as usize + n % columns + 1];
        let is_right = (0..part.right.values.len()).all(|n| {
            let [j, i] = place(n).map(|index| index as f32);
            part.right.values[n] == i && part.down.values[n] == j
        });
        check(is_right, || format!("{part:?}"))?;
    }
    check(!arrows.parts.is_empty(), || "no arrows".into())
}
