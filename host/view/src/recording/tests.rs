//! What was shown is read, and what is no recording is an error, however near it comes to one.

use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use rankine_guest::{Account, Memory, Who};
use rankine_view_wire::{Arrows, Axis, Cloud, Description, Field, Frame, Kind, Part, Points, Said, Vectors};
use tempfile::TempDir;

use super::state::State;
use super::tape::Written;
use super::*;
use crate::{Block, Element, Local, MOST_CURVES, MOST_DESCRIPTIONS, Publisher, View};

const LIMIT: u64 = 1 << 20;

fn micros(seconds: u64) -> u64 {
    seconds * 1_000_000
}

fn field(name: &str, step: i64, value: f32) -> Said {
    let part = Part { start: [0, 0], count: [2, 3], values: (0..6).map(|n| value + n as f32).collect() };
    let (name, range) = (name.to_owned(), [value, value + 5.0]);
    Said::Field(Field { name, step, shape: [2, 3], every: 1, range, cut: None, parts: vec![part], arrows: None })
}

/// A field with an arrow for each cell.
fn with_arrows(name: &str, step: i64, value: f32) -> Said {
    let Said::Field(field) = field(name, step, value) else { panic!("it is a field") };
    let part = Vectors { right: field.parts[0].clone(), down: field.parts[0].clone() };
    Said::Field(Field { arrows: Some(Arrows { every: 1, parts: vec![part] }), ..field })
}

fn description(name: &str, unit: &str) -> Description {
    let axis = Axis { label: "length".into(), unit: "m".into(), first: -1.0, spacing: 0.5 };
    let axes = [axis, Axis::default(), Axis::default()];
    Description { name: name.into(), unit: unit.into(), range: Some([0.0, 2.0]), axes }
}

fn curve(from: u32, points: &[[f64; 2]]) -> Said {
    Said::Curve { name: "level".into(), from, points: points.to_vec() }
}

fn bytes(messages: &[Said]) -> Vec<Vec<u8>> {
    messages.iter().map(Said::to_bytes).collect()
}

/// Three rounds: news alone; both fields; one field, and the end.
fn record(path: &Path) {
    let mut tape = Tape::create(path, LIMIT).unwrap();
    let control = |value| {
        let kind = Kind::Number { least: 0.0, greatest: 1.0, step: 0.0 };
        Said::Control { id: 0, name: "ν".into(), kind, value }
    };
    let hello = Said::Hello { program: "flow.wasm".into(), ranks: 4 };
    tape.news(micros(0), &bytes(&[hello, control(0.25)])).unwrap();
    let described = Said::Description(description("u", "Pa"));
    tape.news(micros(1), &bytes(&[curve(0, &[[0.0, 1.0]]), described])).unwrap();
    tape.frame(micros(1), 0, &field("u", 1, 0.0).to_bytes()).unwrap();
    tape.frame(micros(1), 1, &with_arrows("v", 1, 100.0).to_bytes()).unwrap();
    let described = Said::Description(description("u", "bar"));
    tape.news(micros(2), &bytes(&[curve(1, &[[1.0, 2.0], [2.0, 4.0]]), control(0.5), described])).unwrap();
    tape.frame(micros(2), 0, &field("u", 2, 10.0).to_bytes()).unwrap();
    tape.end(micros(3), "finished").unwrap();
}

fn recorded() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rkv");
    record(&path);
    (folder, path)
}

#[test]
fn what_was_recorded_is_read() {
    let (_folder, path) = recorded();
    let recording = Recording::open(&path).unwrap();
    let contents = recording.contents();
    assert_eq!(contents.program, Some(("flow.wasm".into(), 4)));
    assert_eq!(contents.length, Duration::from_secs(3));
    assert_eq!(contents.figures, [("field", "u".into(), 2), ("field", "v".into(), 1)]);
    assert_eq!(contents.curves, [("level".into(), 3)]);
    assert_eq!(contents.controls, [("ν".into(), 0.5)]);
    assert_eq!((contents.ended.as_deref(), contents.cut), (Some("finished"), None));
    // It begins at the first frames, and what comes after the last ones belongs to them.
    assert_eq!(recording.moments(), 2);
    assert_eq!([recording.time_of(0), recording.time_of(1)], [Duration::from_secs(1), Duration::from_secs(2)]);
    let shown = |moment: usize| {
        let mut state = State::default();
        let entries = 0..recording.end_of(moment);
        recording.add(&mut state, entries.clone()).unwrap();
        let frames = recording.frames(entries).into_iter().map(|entry| recording.frame(entry).unwrap());
        (state, frames.map(Frame::said).collect::<Vec<_>>())
    };
    let (state, frames) = shown(0);
    assert_eq!(state.curves["level"], [[0.0, 1.0]]);
    assert_eq!(state.descriptions["u"], description("u", "Pa"));
    assert_eq!((state.controls[&0].2, state.ended), (0.25, None));
    assert_eq!(frames, [field("u", 1, 0.0), with_arrows("v", 1, 100.0)]);
    let (state, frames) = shown(1);
    assert_eq!(recording.description("u"), description("u", "bar"));
    assert_eq!(recording.description("v"), Description::default());
    assert_eq!(state.curves["level"], [[0.0, 1.0], [1.0, 2.0], [2.0, 4.0]]);
    assert_eq!((state.controls[&0].2, state.ended.as_deref()), (0.5, Some("finished")));
    assert_eq!(frames, [field("u", 2, 10.0), with_arrows("v", 1, 100.0)]);
    // Step by step the same is said.
    let between = recording.news(recording.end_of(0)..recording.end_of(1)).unwrap();
    let (mut stepped, _) = shown(0);
    between.into_iter().for_each(|said| stepped.apply(said).unwrap());
    assert_eq!(stepped, state);
    // A page that is told all of a state has it.
    let mut told = State::default();
    state.messages().into_iter().for_each(|said| told.apply(said).unwrap());
    assert_eq!(told, state);
}

#[test]
fn frames_are_found_by_field_and_step() {
    let (_folder, path) = recorded();
    let recording = Recording::open(&path).unwrap();
    let found = |name: Option<&str>, step: Option<i64>| {
        recording.frame_at(name, step).map(Frame::said).map_err(|error| error.to_string())
    };
    assert_eq!(found(Some("u"), None), Ok(field("u", 2, 10.0)));
    assert_eq!(found(Some("u"), Some(1)), Ok(field("u", 1, 0.0)));
    assert_eq!(found(Some("v"), None), Ok(with_arrows("v", 1, 100.0)));
    let wrong = |name: Option<&str>, step: Option<i64>| found(name, step).unwrap_err();
    assert_eq!(wrong(Some("u"), Some(i64::MAX)), "step 9223372036854775807 was not recorded; the nearest one is 2");
    assert_eq!(wrong(None, None), "there are several fields, of which --field names one: `u`, `v`");
    assert_eq!(wrong(Some("w"), None), "there is no field `w` in this recording, but `u`, `v`");
    assert_eq!(recording.frames_of(Some("u")).unwrap().count(), 2);
}

#[test]
fn points_are_kept_beside_fields() {
    let (_folder, path) = recorded();
    let mut tape = Tape::create(&path, LIMIT).unwrap();
    let points = |step| Points {
        name: "bodies".into(),
        step,
        dimensions: 3,
        has_values: false,
        total: 4,
        every: 2,
        bounds: [[0.0, 1.0]; 3],
        range: [1.0, 0.0],
        parts: vec![Cloud { count: 2, numbers: vec![0.0, 1.0, 0.25, 0.5, 0.75, step as f32] }],
    };
    tape.frame(micros(1), 0, &field("u", 1, 0.0).to_bytes()).unwrap();
    tape.frame(micros(1), 1, &Said::Points(points(1)).to_bytes()).unwrap();
    tape.frame(micros(2), 1, &Said::Points(points(2)).to_bytes()).unwrap();
    // More than there are.
    let wrong = Points { total: 1, ..points(3) };
    tape.frame(micros(3), 1, &Said::Points(wrong).to_bytes()).unwrap();
    // And a field under their name.
    tape.frame(micros(4), 1, &field("bodies", 4, 0.0).to_bytes()).unwrap();
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.contents().figures, [("field", "u".into(), 1), ("points", "bodies".into(), 4)]);
    let frames: Vec<_> = recording.frames_of(Some("bodies")).unwrap().collect();
    let shown: Vec<_> = frames.into_iter().map(|frame| frame.map_err(|error| error.to_string())).collect();
    let damaged = || Err("a frame is damaged".to_owned());
    assert_eq!(shown, [damaged(), damaged(), Ok(Frame::Points(points(2))), Ok(Frame::Points(points(1)))]);
}

#[test]
fn a_trace_has_every_event_at_its_time() {
    let (_folder, path) = recorded();
    let mut trace = Vec::new();
    Recording::open(&path).unwrap().trace(&mut trace).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&trace).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let said: Vec<String> = events
        .iter()
        .map(|event| format!("{} {} {} {}", event["ph"], event["ts"], event["name"], event["args"]).replace('"', ""))
        .collect();
    let expected = [
        "M null process_name {name:flow.wasm, 4 ranks}",
        "i 0 control ν declared {value:0.25}",
        "C 1000000.0 curve level {x:0.0,y:1.0}",
        "i 1000000 field u {step:1}",
        "i 1000000 field v {step:1}",
        "C 2000000.0 curve level {x:2.0,y:4.0}",
        "i 2000000 control ν changed {value:0.5}",
        "i 2000000 field u {step:2}",
        "i 3000000 ended {how:finished}",
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_torn_file_is_read_as_far_as_it_is_whole() {
    let (_folder, path) = recorded();
    let whole = fs::read(&path).unwrap();
    let mut seen = Vec::new();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        match Recording::open(&path) {
            Ok(recording) => {
                let contents = recording.contents();
                assert!(contents.cut.is_some(), "cut at {length} unnoticed");
                seen.push(recording.entries());
            }
            Err(_) => assert!(seen.is_empty(), "nothing is read of {length} bytes, and something of fewer"),
        }
    }
    assert!(seen.is_sorted());
    seen.dedup();
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn what_is_no_recording_is_told_so_and_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flow.wasm");
    for (content, expected) in [
        (&b""[..], "this is not a recording"),
        (b"\0asm\x01\0\0\0 a module, say", "this is not a recording"),
        (&HEAD[..12], "this recording ends in its head"),
        (&HEAD, "nothing is in this recording"),
        (b"\x89RKV\r\n\x1a\n\x03\0\0\0\0\0\0\0", "this recording is in version 3 of the format"),
        (b"\x89RKV\r\n\x1a\n\0\0\0\0\0\0\0\0", "this rankine reads versions 1 to 2"),
    ] {
        fs::write(&path, content).unwrap();
        let error = format!("{:#}", Recording::open(&path).unwrap_err());
        assert!(error.contains(expected), "{error}");
        let is_ours = content.is_empty() || content.starts_with(&HEAD[..MAGIC]);
        assert_eq!(Tape::create(&path, LIMIT).is_ok(), is_ours);
        let after = fs::read(&path).unwrap();
        assert_eq!(after, if is_ours { &HEAD[..] } else { content });
    }
    assert!(Recording::open(&folder.path().join("none.rkv")).is_err());
    assert!(Tape::create(folder.path(), LIMIT).is_err());
}

/// Two ranks of a job of before there was a second version: samples have only when they waited.
#[test]
fn the_first_version_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/recording/version1.rkv");
    assert_eq!(fs::read(&path).unwrap()[MAGIC], 1);
    let recording = Recording::open(&path).unwrap();
    let contents = recording.contents();
    assert_eq!((contents.figures, contents.cut), (vec![("field", "u".into(), 4)], None));
    assert_eq!((contents.program, contents.ended), (Some(("old.wasm".into(), 2)), Some("finished".into())));
    let mut state = State::default();
    recording.add(&mut state, 0..recording.entries()).unwrap();
    assert!(state.samples.len() > 2 && state.samples.iter().all(|sample| sample.load.is_none()));
    assert!(state.samples.iter().any(|sample| sample.waited[0] > 0.5));
    let mut trace = Vec::new();
    recording.trace(&mut trace).unwrap();
    assert!(String::from_utf8(trace).unwrap().contains("rank 0 waits, %"));
}

/// What a job of the second version's days left: figures of every kind with what they say of themselves, controls, load.
#[test]
fn the_second_version_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/recording/version2.rkv");
    assert_eq!(fs::read(&path).unwrap()[MAGIC], 2);
    let recording = Recording::open(&path).unwrap();
    let contents = recording.contents();
    let kinds: Vec<(&str, &str)> = contents.figures.iter().map(|(kind, name, _)| (*kind, name.as_str())).collect();
    let fields = [("field", "pressure"), ("field", "turning"), ("field", "lengths"), ("field", "box")];
    assert_eq!(kinds, [&fields[..], &[("points", "bodies")]].concat());
    assert_eq!((contents.program, contents.ended), (Some(("rec.wasm".into(), 2)), Some("finished".into())));
    assert_eq!(recording.frames_of(Some("bodies")).unwrap().count(), 4);
    let mut state = State::default();
    recording.add(&mut state, 0..recording.entries()).unwrap();
    assert!(state.samples.len() > 1 && state.samples.iter().all(|sample| sample.load.is_some()));
}

#[test]
fn a_limit_is_kept_and_leaves_room_for_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rkv");
    assert!(Tape::create(&path, 1000).is_err());
    let mut tape = Tape::create(&path, 40_000).unwrap();
    // Numbers that nothing makes shorter.
    let mut number = 1u64;
    let mut values = || {
        let next = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from_bits(number >> 2)
        };
        std::iter::repeat_with(next).take(64).collect::<Vec<f64>>()
    };
    let mut records = 0;
    loop {
        let numbers = values();
        let points: Vec<[f64; 2]> = numbers.as_chunks::<2>().0.to_vec();
        match tape.news(records, &bytes(&[curve(0, &points)])).unwrap() {
            Written::Whole => records += 1,
            Written::Full => break,
        }
    }
    tape.end(records, &"ö".repeat(1 << 20)).unwrap();
    assert!(fs::metadata(&path).unwrap().len() <= 40_000 && records > 10, "{records}");
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.entries() as u64, records + 1);
    assert!(recording.contents().ended.is_some_and(|how| how.starts_with("ööö")));
}

#[test]
fn a_recorder_writes_what_a_job_shows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rkv");
    let view = View::new("flow.wasm".into(), 2, false);
    let recorder = Recorder::start(Tape::create(&path, LIMIT).unwrap(), view.clone(), true, |_| ()).unwrap();
    let mut numbers: Vec<u8> = (0..64).flat_map(|n| f64::from(n).to_le_bytes()).collect();
    let memory = Memory::new();
    // SAFETY: the bytes outlive the memory, and nobody else uses them.
    unsafe { memory.set(numbers.as_mut_ptr(), numbers.len() as u64) };
    let publisher = Publisher::new(&view, Who::from(0), &Account::new(None));
    let part = || {
        let at = rankine_abi::Addr(8);
        Local::new(
            &memory,
            at,
            Element::Double,
            Block { shape: &[4, 5], start: &[0, 0], count: &[4, 5], strides: None },
        )
        .unwrap()
    };
    publisher.field(0, "u", 7, &part()).unwrap();
    publisher.curve("residual", 1.0, 0.5).unwrap();
    publisher.text("what", "a text").unwrap();
    publisher.scale("u", "Pa", [0.0, 2.0]).unwrap();
    publisher.axis("u", 0, ["length", "m"], -1.0, 0.5).unwrap();
    publisher.control("stop", Kind::Button, 0.0).unwrap();
    view.moved(0, 1, 1000);
    view.notice("something is wrong");
    view.end("finished".into());
    let outcome = recorder.finish().unwrap();
    assert!(outcome.cut.is_none() && outcome.bytes == fs::metadata(&path).unwrap().len());
    let recording = Recording::open(&path).unwrap();
    let contents = recording.contents();
    assert_eq!(contents.program, Some(("flow.wasm".into(), 2)));
    assert_eq!(contents.figures, [("field", "u".into(), 1)]);
    assert_eq!(contents.curves, [("residual".into(), 1)]);
    assert_eq!((contents.texts, contents.ended), (vec!["what".into()], Some("finished".into())));
    let frames = recording.frames(0..recording.entries());
    let Frame::Field(frame) = recording.frame(frames[0]).unwrap() else { panic!("a frame of a field") };
    assert_eq!((frame.step, frame.numbers()), (7, (1..21).map(|n| n as f32).collect()));
    let mut state = State::default();
    recording.add(&mut state, 0..recording.entries()).unwrap();
    assert_eq!(state.notices, ["something is wrong"]);
    assert_eq!(state.descriptions["u"], description("u", "Pa"));
    // The last sample is that of the end.
    assert_eq!(state.traffic, Some((2, vec![0.0, 1000.0, 0.0, 0.0])));
    let loads = || state.samples.iter().filter_map(|sample| sample.load.as_ref());
    assert_eq!(loads().map(|load| load.sent[0]).sum::<f64>(), 1000.0);
    assert_eq!(loads().map(|load| load.received[1]).sum::<f64>(), 1000.0);
    assert!(loads().next_back().is_some_and(|load| load.memory[0].host > 0.0 && load.memory[1].most == 0.0));
    assert!(view.is_recorded.load(Ordering::Relaxed));
}

#[test]
fn a_recorder_that_meets_its_limit_says_so_and_the_job_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rkv");
    let view = View::new("flow.wasm".into(), 1, false);
    let publisher = Publisher::new(&view, Who::from(0), &Account::new(None));
    let mut number = 1u64;
    for n in 0..4000 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        publisher.curve("noise", f64::from(n), f64::from_bits(number >> 2)).unwrap();
    }
    static WARNED: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());
    let warn = |text: &str| *crate::lock(&WARNED) = text.to_owned();
    let recorder = Recorder::start(Tape::create(&path, 20_000).unwrap(), view.clone(), true, warn).unwrap();
    let start = Instant::now();
    while crate::lock(&WARNED).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(300), "the recorder has said nothing");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!view.is_recorded.load(Ordering::Relaxed));
    view.end("finished".into());
    assert!(recorder.finish().unwrap().cut.is_some());
    let warned = crate::lock(&WARNED).clone();
    assert!(warned.contains("a.rkv: its limit of 20000 bytes is reached (--record-limit)"), "{warned}");
    assert!(fs::metadata(&path).unwrap().len() <= 20_000);
    let ended = Recording::open(&path).unwrap().contents().ended.unwrap();
    assert!(ended.starts_with("finished; not recorded after"), "{ended}");
}

/// A record that is whole, whatever it says.
fn sealed(kind: u32, micros: u64, raw: u32, body: &[u8]) -> Vec<u8> {
    let header = Header { stored: body.len() as u32, raw, micros, kind, sum: 0 };
    let header = Header { sum: header.sum_with(body), ..header };
    [&header.to_bytes()[..], body].concat()
}

fn open(content: &[u8]) -> anyhow::Result<Recording> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    Recording::read(file)
}

/// Reads all that is in a recording, as a page and an export do.
fn use_up(recording: &Recording) {
    let all = 0..recording.entries();
    let _ = recording.contents();
    let _ = recording.trace(&mut std::io::sink());
    let _ = recording.news(all.clone());
    for moment in 0..recording.moments() {
        let _ = recording.time_of(moment);
        for entry in recording.frames(0..recording.end_of(moment)) {
            match recording.frame(entry) {
                Ok(Frame::Field(field)) => {
                    drop(crate::png(&field, &rankine_view_wire::colours::MAPS[0], true));
                    drop(rankine_view_wire::file::vti(&field, &recording.description(&field.name)));
                }
                Ok(Frame::Points(points)) => {
                    drop(rankine_view_wire::file::vtp(&points, &recording.description(&points.name)))
                }
                Err(_) => {}
            }
        }
    }
}

#[test]
fn sealed_nonsense_is_where_a_recording_ends() {
    let news = |messages: &[Said]| {
        let raw: Vec<u8> = bytes(messages)
            .iter()
            .flat_map(|message| [&(message.len() as u32).to_le_bytes()[..], message].concat())
            .collect();
        (raw.len() as u32, lz4_flex::block::compress(&raw))
    };
    let first = {
        let (raw, body) = news(&[Said::Hello { program: "a".into(), ranks: 1 }]);
        [&HEAD[..], &sealed(0, 5, raw, &body)].concat()
    };
    let many: Vec<Said> =
        (0..=MOST_CURVES).map(|n| Said::Curve { name: n.to_string(), from: 0, points: vec![[0.0; 2]] }).collect();
    let described: Vec<Said> =
        (0..=MOST_DESCRIPTIONS).map(|n| Said::Description(description(&n.to_string(), ""))).collect();
    let bad_news = [
        &[curve(7, &[[0.0; 2]])][..],
        &[field("u", 0, 0.0)],
        &[Said::Anew],
        &[Said::Control { id: 64, name: "c".into(), kind: Kind::Button, value: 0.0 }],
        &[Said::Traffic { rows: 65, bytes: vec![0.0; 65 * 65] }],
        &many,
        &described,
        &[Said::Description(description("u", "\u{1b}[2J"))],
        &[Said::Description(Description { range: Some([f64::NAN; 2]), ..description("u", "") })],
    ];
    let mut records: Vec<Vec<u8>> = bad_news
        .iter()
        .map(|messages| {
            let (raw, body) = news(messages);
            sealed(0, 6, raw, &body)
        })
        .collect();
    let frame = apart(&field("u", 0, 0.0).to_bytes());
    let body = lz4_flex::block::compress(&frame);
    let outside = Part { start: [1, 0], count: [2, 3], values: vec![0.0; 6] };
    let vast = Field {
        name: "u".into(),
        step: 0,
        shape: [u32::MAX; 2],
        every: 1,
        range: [0.0; 2],
        cut: None,
        parts: vec![],
        arrows: None,
    };
    let beyond = Field { shape: [2, 3], parts: vec![outside.clone()], ..vast.clone() };
    let never = Field { every: 0, shape: [2, 3], ..vast.clone() };
    let lone = Arrows { every: 1, parts: vec![Vectors { right: outside.clone(), down: outside }] };
    let astray = Field { shape: [2, 3], arrows: Some(lone), ..vast.clone() };
    for field in [vast, beyond, never, astray] {
        let raw = apart(&Said::Field(field).to_bytes());
        records.push(sealed(1, 6, raw.len() as u32, &lz4_flex::block::compress(&raw)));
    }
    records.extend([
        // Fields that there can't be; times that go back; lengths that nothing has.
        sealed(33, 6, frame.len() as u32, &body),
        sealed(u32::MAX, 6, frame.len() as u32, &body),
        sealed(1, 4, frame.len() as u32, &body),
        sealed(1, 6, frame.len() as u32 + 1, &body),
        sealed(1, 6, frame.len() as u32 - 1, &body),
        sealed(1, 6, LONGEST + 1, &body),
        sealed(1, 6, LONGEST, &body),
        sealed(0, 6, u32::MAX, b""),
    ]);
    for record in records {
        let recording = open(&[&first[..], &record].concat()).unwrap();
        assert_eq!(recording.entries(), 1, "{record:?}");
        assert!(recording.contents().cut.is_some());
        use_up(&recording);
    }
}

#[test]
fn words_go_apart_and_come_together() {
    for length in 0..20u8 {
        let bytes: Vec<u8> = (0..length).collect();
        assert_eq!(together(&apart(&bytes)), bytes);
    }
    assert_eq!(apart(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), [1, 5, 2, 6, 3, 7, 4, 8, 9]);
}

proptest! {
    #[test]
    fn cuts_and_flips_never_do_harm(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_folder, path) = recorded();
        let mut content = fs::read(&path).unwrap();
        for (at, with) in &flips {
            let at = at.index(content.len());
            content[at] ^= *with;
        }
        content.truncate(cut.index(content.len() + 1));
        if let Ok(recording) = open(&content) {
            use_up(&recording);
        }
    }

    /// No bytes do harm beneath the seal either: whoever makes a recording to do harm seals it too.
    #[test]
    fn sealed_bytes_never_do_harm(
        records in prop::collection::vec((0u32..4, prop::collection::vec(any::<u8>(), 0..200), any::<bool>(), 0u32..2000), 1..6),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        arrows in any::<bool>(),
    ) {
        let mut content = HEAD.to_vec();
        let raw = apart(&(if arrows { with_arrows } else { field })("u", 1, 0.0).to_bytes());
        let (length, good) = (raw.len() as u32, lz4_flex::block::compress(&raw));
        content.extend(sealed(1, 0, length, &good));
        for (kind, body, is_compressed, raw) in records {
            let record = match is_compressed {
                true => sealed(kind, 1, body.len() as u32, &lz4_flex::block::compress(&body)),
                false => sealed(kind, 1, raw, &body),
            };
            content.extend(record);
        }
        use_up(&open(&content).unwrap());
        // One frame that was changed before it was compressed.
        let mut changed = raw.clone();
        for (at, with) in &flips {
            let at = at.index(changed.len());
            changed[at] ^= *with;
        }
        let body = lz4_flex::block::compress(&changed);
        // And news that were.
        let mut news = bytes(&[Said::Description(description("u", "Pa"))]).remove(0);
        for (at, with) in &flips {
            let at = at.index(news.len());
            news[at] ^= *with;
        }
        let news = [&(news.len() as u32).to_le_bytes()[..], &news].concat();
        let news = sealed(0, 0, news.len() as u32, &lz4_flex::block::compress(&news));
        let content = [&HEAD[..], &news, &sealed(1, 0, length, &good), &sealed(1, 1, length, &body)].concat();
        if let Ok(recording) = open(&content) {
            use_up(&recording);
        }
    }
}
