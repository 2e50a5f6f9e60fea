//! Which frame of a recording is meant.

use anyhow::{Result, bail, ensure};
use rankine_view_wire::{Frame, Said};

use super::Recording;

impl Recording {
    /// Hands over all that was recorded, in order, with its time in microseconds. Frames that are damaged are left out.
    pub fn walk(&self, mut take: impl FnMut(u64, Said)) -> Result<()> {
        for entry in 0..self.entries() {
            let micros = self.micros(entry);
            match self.number_of_figure(entry) {
                None => self.news(entry..entry + 1)?.into_iter().for_each(|said| take(micros, said)),
                Some(_) => self.frame(entry).into_iter().for_each(|frame| take(micros, frame.said())),
            }
        }
        Ok(())
    }

    /// The frames of a field or of points, the last ones first: of the only ones, if none are named.
    pub fn frames_of(&self, name: Option<&str>) -> Result<impl Iterator<Item = Result<Frame>>> {
        let figures = self.contents().figures;
        let list = || figures.iter().map(|(_, name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let number = match (name, &figures[..]) {
            (_, []) => bail!("there is no frame of a field in this recording"),
            (None, [(_, name, _)]) => self.number_of(name),
            (None, _) => bail!("there are several fields, of which --field names one: {}", list()),
            (Some(name), _) => self.number_of(name),
        };
        let Some(number) = number else {
            bail!("there is no field `{}` in this recording, but {}", name.unwrap_or_default(), list())
        };
        let entries = (0..self.entries()).rev().filter(move |entry| self.number_of_figure(*entry) == Some(number));
        Ok(entries.map(move |entry| self.frame(entry)))
    }

    /// The last frame of a field, or the one of this step: of several that the program has counted alike, the last.
    pub fn frame_at(&self, name: Option<&str>, step: Option<i64>) -> Result<Frame> {
        let Some(step) = step else {
            let mut frames = self.frames_of(name)?;
            return frames.next().unwrap_or_else(|| bail!("there is no frame of this field"));
        };
        let mut nearest: Option<i64> = None;
        for frame in self.frames_of(name)? {
            let frame = frame?;
            if frame.step() == step {
                return Ok(frame);
            }
            let is_nearer = nearest.is_none_or(|nearest| frame.step().abs_diff(step) < nearest.abs_diff(step));
            nearest = if is_nearer { Some(frame.step()) } else { nearest };
        }
        ensure!(nearest.is_some(), "there is no frame of this field");
        bail!("step {step} was not recorded; the nearest one is {}", nearest.unwrap_or_default())
    }
}
