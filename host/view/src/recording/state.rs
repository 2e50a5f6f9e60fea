//! What a page that has seen all up to some moment shows, its fields and points aside.

use std::collections::{BTreeMap, VecDeque};

use rankine_view_wire::{Description, Kind, Ranks, Said};

use crate::activity::{MOST_ROWS, MOST_SAMPLES};
use crate::curve::MOST_POINTS;
use crate::{MOST_CHOICES, MOST_CONTROLS, MOST_CURVES, MOST_DESCRIPTIONS, MOST_NOTICES, MOST_TEXTS};

/// The longest name, text or label.
const LONGEST_TEXT: usize = 64 << 10;

/// All that news have said, later ones in place of earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    pub hello: Option<(String, u32)>,
    pub curves: BTreeMap<String, Vec<[f64; 2]>>,
    pub descriptions: BTreeMap<String, Description>,
    pub texts: BTreeMap<String, String>,
    pub controls: BTreeMap<u32, (String, Kind, f64)>,
    pub samples: VecDeque<Ranks>,
    pub traffic: Option<(u32, Vec<f64>)>,
    pub untold: Option<String>,
    pub paused: bool,
    pub notices: Vec<String>,
    pub ended: Option<String>,
}

impl State {
    /// Takes over what a message says; nothing if a recorder never writes such a one.
    pub fn apply(&mut self, said: Said) -> Option<()> {
        let is_short = |text: &str| text.len() <= LONGEST_TEXT;
        match said {
            Said::Hello { program, ranks } if is_short(&program) => self.hello = Some((program, ranks)),
            Said::Curve { name, from, points } if is_short(&name) => {
                let curve = place(&mut self.curves, name, MOST_CURVES)?;
                let from = from as usize;
                if from > curve.len() || from + points.len() > MOST_POINTS {
                    return None;
                }
                curve.truncate(from);
                curve.extend(points);
            }
            Said::Description(description) if is_short(&description.name) && description.is_sound() => {
                let name = description.name.clone();
                *place(&mut self.descriptions, name, MOST_DESCRIPTIONS)? = description;
            }
            Said::Text { name, text } if is_short(&name) && is_short(&text) => {
                *place(&mut self.texts, name, MOST_TEXTS)? = text;
            }
            Said::Control { id, name, kind, value } if is_short(&name) && (id as usize) < MOST_CONTROLS => {
                if let Kind::Choice(labels) = &kind
                    && (labels.len() > MOST_CHOICES || !labels.iter().all(|label| is_short(label)))
                {
                    return None;
                }
                self.controls.insert(id, (name, kind, value));
            }
            Said::Ranks(ranks)
                if ranks.waited.len() <= MOST_ROWS
                    && ranks.load.iter().all(|load| load.awaits.iter().all(|words| is_short(words))) =>
            {
                if self.samples.len() == MOST_SAMPLES {
                    self.samples.pop_front();
                }
                self.samples.push_back(ranks);
            }
            Said::Traffic { rows, bytes } if rows as usize <= MOST_ROWS => self.traffic = Some((rows, bytes)),
            Said::Untold(text) if is_short(&text) => self.untold = Some(text),
            Said::Paused(paused) => self.paused = paused,
            Said::Notice(text) if is_short(&text) && self.notices.len() < MOST_NOTICES => self.notices.push(text),
            Said::Ended(how) if is_short(&how) => self.ended = Some(how),
            // More than there may be; and what a recorder never writes as news.
            Said::Hello { .. } | Said::Curve { .. } | Said::Text { .. } | Said::Control { .. } => return None,
            Said::Description(_) | Said::Ranks(_) | Said::Traffic { .. } | Said::Untold(_) => return None,
            Said::Notice(_) | Said::Ended(_) => return None,
            Said::Field(_) | Said::Points(_) | Said::Recording { .. } | Said::Anew | Said::At { .. } => return None,
        }
        Some(())
    }

    /// Messages that say all of it to a page that knows nothing.
    pub fn messages(&self) -> Vec<Said> {
        let mut all = Vec::new();
        all.extend(self.hello.iter().map(|(program, ranks)| Said::Hello { program: program.clone(), ranks: *ranks }));
        all.extend(self.controls.iter().map(|(id, (name, kind, value))| Said::Control {
            id: *id,
            name: name.clone(),
            kind: kind.clone(),
            value: *value,
        }));
        all.extend(self.texts.iter().map(|(name, text)| Said::Text { name: name.clone(), text: text.clone() }));
        all.extend(self.descriptions.values().cloned().map(Said::Description));
        let curve = |(name, points): (&String, &Vec<[f64; 2]>)| Said::Curve {
            name: name.clone(),
            from: 0,
            points: points.clone(),
        };
        all.extend(self.curves.iter().map(curve));
        all.extend(self.samples.iter().cloned().map(Said::Ranks));
        all.extend(self.traffic.iter().map(|(rows, bytes)| Said::Traffic { rows: *rows, bytes: bytes.clone() }));
        all.extend(self.untold.iter().cloned().map(Said::Untold));
        all.extend(self.notices.iter().cloned().map(Said::Notice));
        all.extend(self.paused.then_some(Said::Paused(true)));
        all.extend(self.ended.iter().cloned().map(Said::Ended));
        all
    }
}

/// The thing of this name, which is made if there is room for it.
fn place<T: Default>(things: &mut BTreeMap<String, T>, name: String, most: usize) -> Option<&mut T> {
    (things.len() < most || things.contains_key(&name)).then(|| things.entry(name).or_default())
}
