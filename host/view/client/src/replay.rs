//! A recording's slider: which moment is shown, and whether the recording goes on by itself.

use rankine_view_wire::Asked;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

use crate::dom::{add_text, find, hide, on, set};
use crate::page;

/// How many times as fast as the job.
const SPEEDS: [f64; 6] = [0.25, 1.0, 2.0, 5.0, 20.0, 100.0];

/// What the page knows of the recording that it shows.
pub(crate) struct Replay {
    moments: u32,
    moment: u32,
    /// The moment that was asked for and has not come yet.
    wanted: Option<u32>,
    length: f64,
    plays: bool,
    /// Why the recording ends where it does, if not with the job.
    pub note: String,
}

fn slider() -> HtmlInputElement {
    find("moment").unchecked_into()
}

fn speed() -> f64 {
    let chosen = find("speed").unchecked_into::<HtmlSelectElement>().selected_index();
    usize::try_from(chosen).ok().and_then(|chosen| SPEEDS.get(chosen).copied()).unwrap_or(1.0)
}

/// Listens to what concerns recordings.
pub(crate) fn listen() {
    let speeds = find("speed");
    for speed in SPEEDS {
        let option = add_text(&speeds, "option", "", &format!("{speed} ×"));
        if speed == 1.0 {
            set(&option, "selected", "");
        }
    }
    on(&find("play"), "click", |_: Event| page::replay(Replay::play));
    on(&speeds, "change", |_: Event| page::replay(|replay| replay.plays.then(|| Asked::Play(speed()))));
    on(&slider(), "input", |_: Event| page::replay(|replay| replay.show(slider().value_as_number() as u32)));
}

impl Replay {
    /// A recording of so many moments and so many seconds.
    pub fn new(moments: u32, length: f64, note: String) -> Replay {
        hide(&find("replay"), false);
        set(&slider(), "max", &moments.saturating_sub(1).to_string());
        set(&find("controls"), "inert", "");
        // What was not recorded can't be chosen.
        set(&find("figures"), "data-replay", "");
        Replay { moments, moment: 0, wanted: None, length, plays: false, note }
    }

    fn show(&mut self, moment: u32) -> Option<Asked> {
        let moment = moment.min(self.moments.saturating_sub(1));
        self.wanted = Some(moment);
        slider().set_value_as_number(moment.into());
        Some(Asked::Show(moment))
    }

    /// Plays, or stands still.
    pub fn play(&mut self) -> Option<Asked> {
        Some(Asked::Play(if self.plays { 0.0 } else { speed() }))
    }

    /// What a key on the page asks for.
    pub fn press(&mut self, key: &str) -> Option<Asked> {
        let from = self.wanted.unwrap_or(self.moment);
        match key {
            " " => self.play(),
            "." | "ArrowRight" => self.show(from.saturating_add(1)),
            "," | "ArrowLeft" => self.show(from.saturating_sub(1)),
            "Home" => self.show(0),
            "End" => self.show(u32::MAX),
            _ => None,
        }
    }

    /// The page is there now.
    pub fn at(&mut self, moment: u32, time: f64, speed: f64) {
        (self.moment, self.plays) = (moment, speed > 0.0);
        // While the slider is moved, moments come that it has left.
        if self.wanted.is_none_or(|wanted| wanted == moment) {
            self.wanted = None;
            slider().set_value_as_number(moment.into());
        }
        let text = format!("{time:.1} of {:.1} s · {} of {}", self.length, moment + 1, self.moments);
        find("when").set_text_content(Some(&text));
        set(&slider(), "aria-valuetext", &text);
        let play: Element = find("play");
        set(&play, "aria-pressed", if self.plays { "true" } else { "false" });
        play.set_text_content(Some(if self.plays { "Stop" } else { "Play" }));
    }

    /// What the recording does, as a state and in a word.
    pub fn state(&self) -> [&'static str; 2] {
        if self.plays { ["live", "playing"] } else { ["paused", "recording"] }
    }
}
