//! All of the page together: which figure a message is for, and when to draw.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use js_sys::{ArrayBuffer, Uint8Array};
use rankine_view_wire::{Asked, Description, Field, Points, Said};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{BinaryType, Element, Event, KeyboardEvent, MessageEvent, WebSocket};

use crate::busy::Busy;
use crate::cloud::Cloud;
use crate::dom::{add, add_text, document, find, hide, on, set, window};
use crate::heat::Heat;
use crate::plot::Plot;
use crate::replay::{self, Replay};
use crate::steer::Control;

/// Milliseconds until a lost connection is tried again.
const AGAIN: i32 = 1000;

/// What is on the page. A page runs on one thread; no handler of an event runs inside of another.
#[derive(Default)]
struct Page {
    socket: Option<WebSocket>,
    fields: BTreeMap<String, Heat>,
    points: BTreeMap<String, Cloud>,
    curves: BTreeMap<String, Plot>,
    texts: BTreeMap<String, Element>,
    descriptions: BTreeMap<String, Rc<Description>>,
    controls: BTreeMap<u32, Control>,
    busy: Option<Busy>,
    /// The recording that is shown, if it is no job that runs.
    replay: Option<Replay>,
    /// The fields and points of the moment of the recording that is shown.
    shown: BTreeSet<String>,
    /// How the recorded job ended, at the moment when that is known.
    ending: Option<String>,
    /// Frames that came since the page was drawn.
    frames: u32,
    is_drawing_soon: bool,
    is_paused: bool,
    has_ended: bool,
    /// Rows and columns that the server was told to be enough.
    size: u32,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// Connects, and listens to what concerns the page as a whole.
pub(crate) fn start() {
    connect();
    replay::listen();
    on(&find("pause"), "click", |_: Event| pause());
    on(&find("step"), "click", |_: Event| ask(Asked::Step));
    on(&document(), "keydown", |event: KeyboardEvent| {
        let is_elsewhere = document().active_element().is_none_or(|active| active.tag_name() == "BODY");
        let is_plain = !(event.ctrl_key() || event.alt_key() || event.meta_key());
        if is_elsewhere && is_plain && press(&event.key()) {
            event.prevent_default();
        }
    });
    on(&window(), "resize", |_: Event| draw_soon());
}

/// A key was pressed that no element takes; says whether it means something.
fn press(key: &str) -> bool {
    let asked = PAGE.with_borrow_mut(|page| page.replay.as_mut().map(|replay| replay.press(key)));
    match (asked, key) {
        (Some(asked), _) => asked.map(ask).is_some(),
        (None, " ") => {
            pause();
            true
        }
        (None, ".") => {
            ask(Asked::Step);
            true
        }
        _ => false,
    }
}

/// Asks for what something touched wants of the recording, if one is shown.
pub(crate) fn replay(want: impl FnOnce(&mut Replay) -> Option<Asked>) {
    if let Some(asked) = PAGE.with_borrow_mut(|page| page.replay.as_mut().and_then(want)) {
        ask(asked);
    }
}

fn pause() {
    let is_paused = PAGE.with_borrow(|page| page.is_paused);
    ask(Asked::Pause(!is_paused));
}

/// Tells the server.
pub(crate) fn ask(asked: Asked) {
    PAGE.with_borrow(|page| {
        if let Some(socket) = page.socket.as_ref().filter(|socket| socket.ready_state() == WebSocket::OPEN) {
            let _ = socket.send_with_u8_array(&asked.to_bytes());
        }
    });
}

fn connect() {
    let address = window().location().href().unwrap_or_default().replacen("http", "ws", 1);
    let Ok(socket) = WebSocket::new(&format!("{}socket", address.split(['?', '#']).next().unwrap_or_default())) else {
        return show_state("ended", "this browser can't connect");
    };
    socket.set_binary_type(BinaryType::Arraybuffer);
    on(&socket, "open", |_: Event| PAGE.with_borrow_mut(|page| (page.frames, page.size) = (0, 0)));
    on(&socket, "message", |event: MessageEvent| {
        if let Ok(buffer) = event.data().dyn_into::<ArrayBuffer>()
            && let Some(said) = Said::read(&Uint8Array::new(&buffer).to_vec())
        {
            PAGE.with_borrow_mut(|page| page.hear(said));
        }
    });
    on(&socket, "close", |_: Event| {
        if PAGE.with_borrow(|page| page.has_ended) {
            return;
        }
        show_state("waiting", "the connection is lost");
        let again = Closure::once_into_js(connect);
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(again.unchecked_ref(), AGAIN);
    });
    PAGE.with_borrow_mut(|page| page.socket = Some(socket));
}

fn show_state(state: &str, text: &str) {
    set(&find("state"), "data-state", state);
    find("state").set_text_content(Some(text));
}

/// Draws all that has changed, with the browser's next picture.
pub(crate) fn draw_soon() {
    // While a message is heard, the page says it itself.
    PAGE.with(|page| {
        if let Ok(mut page) = page.try_borrow_mut() {
            page.draw_soon();
        }
    });
}

fn notice(text: &str) {
    let notices = find("notices");
    hide(&notices, false);
    add_text(&notices, "p", "", text);
}

impl Page {
    fn draw_soon(&mut self) {
        if !std::mem::replace(&mut self.is_drawing_soon, true) {
            let draw = Closure::once_into_js(|| PAGE.with_borrow_mut(Page::draw));
            let _ = window().request_animation_frame(draw.unchecked_ref());
        }
    }

    fn draw(&mut self) {
        self.is_drawing_soon = false;
        self.fields.values().for_each(Heat::draw);
        self.points.values().for_each(Cloud::draw);
        self.curves.values().for_each(Plot::draw);
        self.busy.iter().for_each(Busy::draw);
        let pixels = self.fields.values().map(Heat::pixels).chain(self.points.values().map(Cloud::pixels));
        let size = pixels.max().unwrap_or(0);
        let Some(socket) = &self.socket else { return };
        let say = |asked: Asked| drop(socket.send_with_u8_array(&asked.to_bytes()));
        if size != 0 && size != self.size {
            self.size = size;
            say(Asked::Size(size));
        }
        (0..std::mem::take(&mut self.frames)).for_each(|_| say(Asked::Drawn));
    }

    fn hear(&mut self, said: Said) {
        let figures = find("figures");
        match said {
            Said::Hello { program, ranks } => self.greet(&program, ranks),
            Said::Field(field) => self.show_field(&figures, field),
            Said::Points(points) => self.show_points(&figures, points),
            Said::Curve { name, from, points } => {
                hide(&find("nothing"), true);
                let description = self.description(&name);
                let make = |name: &String| Plot::new(&figures, name, description);
                self.curves.entry(name).or_insert_with_key(make).extend(from, points);
                self.draw_soon();
            }
            Said::Description(description) => {
                self.describe(Rc::new(description));
                self.draw_soon();
            }
            Said::Text { name, text } => self.show_text(name, &text),
            Said::Control { id, name, kind, value } => {
                let controls = find("controls");
                hide(&controls, false);
                let control = self.controls.entry(id).or_insert_with(|| Control::new(&controls, id, &name, &kind));
                control.show(value);
            }
            Said::Ranks(ranks) => {
                self.busy.get_or_insert_with(|| Busy::new(&find("ranks-at-work"))).add(ranks);
                self.draw_soon();
            }
            Said::Untold(text) => {
                self.busy.get_or_insert_with(|| Busy::new(&find("ranks-at-work"))).untold(&text);
            }
            Said::Traffic { rows, bytes } => {
                if let Some(busy) = &mut self.busy {
                    busy.sent(rows, bytes);
                }
            }
            Said::Paused(paused) if self.replay.is_none() => self.show_paused(paused),
            // Of a recording, it is the job that has paused.
            Said::Paused(_) => {}
            Said::Notice(text) => notice(&text),
            Said::Recording { moments, length, note } => self.replay = Some(Replay::new(moments, length, note)),
            Said::Anew => self.forget(),
            Said::At { moment, time, speed } => self.arrive(moment, time, speed),
            Said::Ended(how) if self.replay.is_some() => self.ending = Some(how),
            Said::Ended(how) => {
                self.has_ended = true;
                show_state("ended", &how);
                hide(&find("pause"), true);
                hide(&find("step"), true);
            }
        }
    }

    /// The program and its ranks are known.
    fn greet(&mut self, program: &str, ranks: u32) {
        find("program").set_text_content(Some(program));
        document().set_title(program);
        let ranks = if ranks == 1 { "1 rank".into() } else { format!("{ranks} ranks") };
        find("ranks").set_text_content(Some(&ranks));
        if self.replay.is_none() {
            hide(&find("pause"), false);
            self.show_paused(false);
        }
    }

    fn show_field(&mut self, figures: &Element, field: Field) {
        self.frame(&field.name);
        match self.fields.get(&field.name) {
            Some(heat) => heat.update(field),
            None => {
                let description = self.description(&field.name);
                self.fields.insert(field.name.clone(), Heat::new(figures, field, description));
            }
        }
        self.draw_soon();
    }

    fn show_points(&mut self, figures: &Element, points: Points) {
        self.frame(&points.name);
        match self.points.get(&points.name) {
            Some(cloud) => cloud.update(points),
            None => {
                let description = self.description(&points.name);
                self.points.insert(points.name.clone(), Cloud::new(figures, points, description));
            }
        }
        self.draw_soon();
    }

    fn show_text(&mut self, name: String, text: &str) {
        let texts = find("texts");
        hide(&texts, false);
        let place = self.texts.entry(name).or_insert_with_key(|name| {
            add_text(&texts, "h2", "", name);
            add(&texts, "p", "")
        });
        place.set_text_content(Some(text));
    }

    /// What the program has said of the thing of this name.
    fn description(&self, name: &str) -> Rc<Description> {
        self.descriptions.get(name).cloned().unwrap_or_default()
    }

    /// It says something of it.
    fn describe(&mut self, description: Rc<Description>) {
        let name = &description.name;
        self.fields.get(name).iter().for_each(|heat| heat.describe(description.clone()));
        self.points.get(name).iter().for_each(|cloud| cloud.describe(description.clone()));
        self.curves.get(name).iter().for_each(|plot| plot.describe(description.clone()));
        self.descriptions.insert(name.clone(), description);
    }

    /// A frame of this name has come.
    fn frame(&mut self, name: &str) {
        hide(&find("nothing"), true);
        self.frames += 1;
        if self.replay.is_some() {
            self.shown.insert(name.to_owned());
        }
    }

    /// Another moment of a recording comes: what is not said again was not there.
    fn forget(&mut self) {
        self.shown.clear();
        self.ending = None;
        for name in std::mem::take(&mut self.descriptions).into_keys() {
            self.describe(Rc::new(Description { name, ..Description::default() }));
        }
        self.curves.values().for_each(|plot| plot.extend(0, Vec::new()));
        self.texts.values().for_each(|place| place.set_text_content(None));
        self.busy.iter_mut().for_each(Busy::clear);
        find("notices").set_text_content(None);
        hide(&find("notices"), true);
        if let Some(note) = self.replay.as_ref().map(|replay| &replay.note).filter(|note| !note.is_empty()) {
            notice(note);
        }
    }

    /// All of a moment of a recording has come.
    fn arrive(&mut self, moment: u32, time: f64, speed: f64) {
        let Some(replay) = &mut self.replay else { return };
        replay.at(moment, time, speed);
        let [state, word] = replay.state();
        match &self.ending {
            Some(how) if speed == 0.0 => show_state("ended", how),
            _ => show_state(state, word),
        }
        for (name, heat) in &self.fields {
            heat.hide(!self.shown.contains(name));
        }
        for (name, cloud) in &self.points {
            cloud.hide(!self.shown.contains(name));
        }
        self.busy.iter().for_each(Busy::show);
        self.draw_soon();
    }

    fn show_paused(&mut self, paused: bool) {
        self.is_paused = paused;
        set(&find("pause"), "aria-pressed", if paused { "true" } else { "false" });
        find("pause").set_text_content(Some(if paused { "Go on" } else { "Pause" }));
        hide(&find("step"), !paused);
        show_state(if paused { "paused" } else { "live" }, if paused { "paused" } else { "live" });
    }
}
