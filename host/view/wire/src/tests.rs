//! What is written is read, and what is no message is none.

use super::*;

fn points(dimensions: u32, has_values: bool) -> Points {
    let width = dimensions + u32::from(has_values);
    let part = |count: u32| Cloud { count, numbers: (0..count * width).map(|n| n as f32).collect() };
    let bounds = [[0.0, 1.0], [-1.0, 1.0], [f32::INFINITY, f32::NEG_INFINITY]];
    let (name, range, parts) = ("bodies".into(), [3.0, 7.0], vec![part(3), part(2)]);
    Points { name, step: 9, dimensions, has_values, total: 10, every: 2, bounds, range, parts }
}

#[test]
fn points_are_as_many_as_they_say() {
    let sound = points(2, true);
    assert!(sound.is_sound() && points(3, false).is_sound());
    assert_eq!(sound.columns(), [[0.0, 1.0, 2.0, 0.0, 1.0], [3.0, 4.0, 5.0, 2.0, 3.0], [6.0, 7.0, 8.0, 4.0, 5.0]]);
    for wrong in [
        Points { dimensions: 4, ..sound.clone() },
        Points { dimensions: u32::MAX, ..sound.clone() },
        Points { has_values: false, ..sound.clone() },
        Points { every: 0, ..sound.clone() },
        Points { total: 4, ..sound.clone() },
        Points { bounds: [[f32::NAN; 2]; 3], ..sound.clone() },
        Points { parts: vec![Cloud { count: u32::MAX, numbers: vec![0.0; 3] }], ..sound.clone() },
    ] {
        assert!(!wrong.is_sound(), "{wrong:?}");
        // And nothing that asks for what is not there.
        assert!(wrong.dimensions > 4 || wrong.columns().iter().all(|column| column.len() <= 5));
    }
}

fn description() -> Description {
    let axis =
        |label: &str, unit: &str, first, spacing| Axis { label: label.into(), unit: unit.into(), first, spacing };
    let axes = [axis("length", "m", -1.0, 0.25), axis("", "", 3.0, -0.5), Axis::default()];
    Description { name: "u".into(), unit: "kg/m³".into(), range: Some([0.5, 2.0]), axes }
}

#[test]
fn what_no_program_may_say_is_not_sound() {
    let sound = description();
    assert!(sound.is_sound() && Description::default().is_sound());
    assert_eq!([sound.title(0), sound.title(1)], ["length (m)", "y"]);
    let axes = |axis: Axis| Description { axes: [Axis::default(), axis, Axis::default()], ..sound.clone() };
    for wrong in [
        Description { unit: "m".repeat(LONGEST_LABEL + 1), ..sound.clone() },
        Description { unit: "a\nb".into(), ..sound.clone() },
        Description { range: Some([1.0, 1.0]), ..sound.clone() },
        Description { range: Some([0.0, f64::NAN]), ..sound.clone() },
        Description { range: Some([f64::NEG_INFINITY, 0.0]), ..sound.clone() },
        axes(Axis { label: "\u{1b}[2J".into(), ..Axis::default() }),
        axes(Axis { spacing: f64::INFINITY, ..Axis::default() }),
        axes(Axis { first: f64::NAN, ..Axis::default() }),
    ] {
        assert!(!wrong.is_sound(), "{wrong:?}");
    }
}

#[test]
fn coordinates_ascend_or_descend_or_are_counted() {
    let [ascends, descends, counted] = description().axes;
    assert_eq!([ascends.at(4.0), descends.at(4.0), counted.at(4.0)], [0.0, 1.0, 4.0]);
}

fn ranks(load: Option<Load>) -> Ranks {
    Ranks { number: 7, at: 2.5, span: 0.25, each: 2, waited: vec![0.5, 1.0], waits: vec![0.0, -1.0], load }
}

fn load() -> Load {
    let memory = |guest| Memory { guest, host: 2.0, most: 9.0 };
    let awaits = vec!["rank 1 in MPI_Recv from rank 2, tag 7".into(), String::new()];
    Load { sent: vec![1.0, 2.0], received: vec![3.0, 0.0], memory: vec![memory(4.0), memory(0.0)], awaits }
}

#[test]
fn rows_are_named_by_their_ranks() {
    let shared = ranks(None);
    assert_eq!([shared.name(0), shared.name(3)], ["0-1", "6-7"]);
    assert_eq!([0, 1].map(|each| Ranks { each, ..ranks(None) }.name(3)), ["3", "3"]);
    assert_eq!(load().memory[0].all(), 6.0);
}

fn messages() -> Vec<Said> {
    let field = Field {
        name: "u".into(),
        step: -3,
        shape: [5, 3],
        every: 2,
        range: [-1.0, 2.5],
        cut: None,
        parts: vec![
            Part { start: [0, 0], count: [3, 1], values: vec![1.0, 2.0, f32::INFINITY] },
            Part { start: [0, 1], count: [3, 1], values: vec![-1.0, 0.5, 2.5] },
        ],
        arrows: None,
    };
    let arrows = Some(arrows());
    let number = Kind::Number { least: 0.0, greatest: 1.0, step: 0.25 };
    let control = |kind| Said::Control { id: 3, name: "ν".into(), kind, value: 0.5 };
    let cut = Cut { field: 3, across: 1, index: 4, shape: [5, 9, 3] };
    vec![
        Said::Field(Field { cut: Some(cut), ..field.clone() }),
        Said::Field(Field { cut: Some(cut), arrows: arrows.clone(), ..field.clone() }),
        Said::Field(Field { arrows, ..field.clone() }),
        Said::Hello { program: "nozzle.wasm".into(), ranks: 4 },
        Said::Field(field),
        Said::Curve { name: "residual".into(), from: 7, points: vec![[1.0, 2.0], [3.0, 4.0]] },
        Said::Text { name: "what".into(), text: String::new() },
        control(number),
        control(Kind::Choice(vec!["one".into(), "two".into()])),
        control(Kind::Button),
        Said::Paused(true),
        Said::Notice("</script>".into()),
        Said::Ended("by rank 3".into()),
        Said::Ranks(ranks(None)),
        Said::Ranks(ranks(Some(load()))),
        Said::Untold("waiting, on the engine mpi".into()),
        Said::Traffic { rows: 2, bytes: vec![0.0, 1e9, 3.0, 0.0] },
        Said::Recording { moments: 3, length: 1.5, note: "cut".into() },
        Said::Anew,
        Said::At { moment: 2, time: 0.5, speed: 4.0 },
        Said::Points(points(2, true)),
        Said::Points(points(3, false)),
        Said::Description(description()),
        Said::Description(Description { name: "residual".into(), ..Description::default() }),
    ]
}

#[test]
fn what_is_written_is_read() {
    for said in messages() {
        assert_eq!(Said::read(&said.to_bytes()).as_ref(), Some(&said));
    }
    let asked = [
        Asked::Set { id: 9, value: -0.5 },
        Asked::Drawn,
        Asked::Size(800),
        Asked::Pause(true),
        Asked::Step,
        Asked::Cut { field: 1, across: 2, index: 3 },
    ];
    for asked in asked {
        assert_eq!(Asked::read(&asked.to_bytes()), Some(asked));
    }
}

#[test]
fn what_is_cut_or_too_long_is_no_message() {
    for said in messages() {
        let bytes = said.to_bytes();
        assert!((0..bytes.len()).all(|length| Said::read(&bytes[..length]).is_none()), "{said:?}");
        assert_eq!(Said::read(&[&bytes[..], &[0]].concat()), None);
    }
}

#[test]
fn a_plane_lies_within_its_field() {
    let Some(Said::Field(field)) = messages().into_iter().next() else { panic!("it comes first") };
    assert!(field.is_sound(8));
    let cut = field.cut.unwrap();
    for wrong in [Cut { across: 3, ..cut }, Cut { index: 9, ..cut }] {
        assert!(!Field { cut: Some(wrong), ..field.clone() }.is_sound(8), "{wrong:?}");
    }
}

/// Those of a field with 5 × 3 elements, of which every second one is shown, and every fourth has an arrow.
fn arrows() -> Arrows {
    let part = |values: &[f32]| Part { start: [0, 0], count: [2, 1], values: values.to_vec() };
    Arrows { every: 4, parts: vec![Vectors { right: part(&[1.0, 2.0]), down: part(&[-1.0, 0.5]) }] }
}

#[test]
fn arrows_lie_within_their_field() {
    let Some(Said::Field(field)) = messages().into_iter().nth(1) else { panic!("it comes second") };
    assert!(field.is_sound(8) && field.arrows.is_some());
    let with = |arrows: Arrows| Field { arrows: Some(arrows), ..field.clone() };
    let sound = arrows();
    let part = |part: Part| Arrows { parts: vec![Vectors { right: part.clone(), down: part }], ..sound.clone() };
    let lone = Part { start: [0, 0], count: [1, 1], values: vec![0.0] };
    let apart = Vectors { right: lone.clone(), down: Part { start: [1, 0], ..lone.clone() } };
    for wrong in [
        Arrows { every: 0, ..sound.clone() },
        Arrows { every: 3, ..sound.clone() },
        Arrows { parts: [sound.parts.clone(), sound.parts.clone()].concat(), ..sound.clone() },
        Arrows { parts: vec![apart], ..sound.clone() },
        part(Part { start: [2, 0], ..lone.clone() }),
        part(Part { start: [u32::MAX, 0], ..lone.clone() }),
        part(Part { values: vec![0.0; 2], ..lone.clone() }),
    ] {
        assert!(!with(wrong.clone()).is_sound(8), "{wrong:?}");
    }
    // More than can be told from each other.
    let wide = Field { shape: [1, 2 * MOST_ARROWS + 1], every: 1, cut: None, parts: Vec::new(), ..field.clone() };
    let none = |every| Some(Arrows { every, parts: Vec::new() });
    assert!(!Field { arrows: none(2), ..wide.clone() }.is_sound(2048));
    assert!(Field { arrows: none(3), ..wide }.is_sound(2048));
    assert_eq!([Arrows::every([10, 20], 1), Arrows::every([64, 65], 1), Arrows::every([640, 10], 10)], [1, 3, 20]);
}

#[test]
fn what_promises_more_than_comes_takes_no_memory() {
    // A curve of four billion points, a part of 2^64 numbers.
    assert_eq!(Said::read(&[&[2, 0, 0, 0, 0, 0, 0, 0, 0][..], &[0xff; 4]].concat()), None);
    let mut field = vec![1, 0, 0, 0, 0];
    field.extend([0; 8 + 8 + 4 + 8]);
    field.extend([1, 0, 0, 0]);
    field.extend([0xff; 16]);
    assert_eq!(Said::read(&field), None);
}
