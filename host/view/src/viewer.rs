//! One browser: what it has seen, and what it still has to see.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use rankine_view_wire::{Asked, Said};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::{SIZE, View, curve, lock};

/// Frames that may be on their way to a page, or wait there to be drawn.
pub(crate) const MOST_FRAMES: u32 = 2;

/// Browsers at a time.
pub(crate) const MOST_VIEWERS: usize = 32;

pub(crate) struct Viewer {
    changed: Notify,
    /// Frames that were sent and not yet drawn.
    frames: AtomicU32,
    /// Rows and columns that it shows.
    size: AtomicU32,
    has_left: AtomicBool,
}

impl Viewer {
    /// There is something new for it, perhaps.
    pub fn wake(&self) {
        self.changed.notify_one();
    }

    /// Whether it could take another frame at once.
    pub fn has_time(&self) -> bool {
        self.frames.load(Ordering::Relaxed) < MOST_FRAMES
    }

    pub fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    fn does(&self, asked: Asked, view: &View) {
        match asked {
            Asked::Set { id, value } => {
                if let Some(control) = view.controls.get(id as usize) {
                    control.set(value);
                    view.wake();
                }
            }
            Asked::Drawn => {
                let one_less = |frames: u32| Some(frames.saturating_sub(1));
                let _ = self.frames.try_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
                self.wake();
            }
            Asked::Size(size) => self.size.store(size, Ordering::Relaxed),
            Asked::Cut { field, across, index } => {
                if let Some(figure) = view.figures.get(field as usize)
                    && let Ok(field) = figure.field()
                {
                    field.choose(across, index);
                }
            }
            Asked::Pause(pause) => view.pause(pause),
            Asked::Step => view.step(),
            // These are for recordings.
            Asked::Show(_) | Asked::Play(_) => {}
        }
    }
}

/// What a browser has been sent, or a recording has.
#[derive(Default)]
pub(crate) struct Seen {
    hello: bool,
    figures: HashMap<usize, u64>,
    curves: HashMap<usize, curve::Seen>,
    texts: HashMap<usize, u64>,
    controls: HashMap<usize, u64>,
    descriptions: HashMap<usize, u64>,
    notices: usize,
    samples: u64,
    paused: bool,
    /// The figure that is sent next, so that each gets its turn.
    turn: usize,
}

/// What nobody tells of ranks in processes of their own.
const UNTOLD: &str = "Each rank is a process over an MPI library, which does not tell when ranks wait, for whom, and what they move: \
                      rankine run --profile measures that. What memory a rank has is as of when it published last.";

/// How long a browser has to answer that the job has ended.
const FAREWELL: Duration = Duration::from_secs(1);

impl View {
    /// Serves a browser until it has left or the job has ended.
    pub(crate) async fn serve(self: Arc<View>, socket: WebSocketStream<TcpStream>) {
        let viewer = Arc::new(Viewer {
            changed: Notify::new(),
            frames: AtomicU32::new(0),
            size: AtomicU32::new(SIZE),
            has_left: AtomicBool::new(false),
        });
        {
            let mut viewers = lock(&self.viewers);
            if viewers.len() >= MOST_VIEWERS {
                return;
            }
            viewers.push(viewer.clone());
        }
        let (to, from) = socket.split();
        let mut listening = tokio::spawn(listen(from, viewer.clone(), self.clone()));
        self.talk(to, &viewer).await;
        // A socket that is closed while something waits to be read takes back what was sent last.
        let _ = tokio::time::timeout(FAREWELL, &mut listening).await;
        listening.abort();
        lock(&self.viewers).retain(|other| !Arc::ptr_eq(other, &viewer));
    }

    /// Sends what is new, and waits for more.
    async fn talk(&self, mut to: SplitSink<WebSocketStream<TcpStream>, Message>, viewer: &Viewer) {
        let mut seen = Seen::default();
        loop {
            let has_ended = self.ended.get();
            for message in self.news(&mut seen) {
                if to.send(Message::Binary(message)).await.is_err() {
                    return;
                }
            }
            while viewer.has_time()
                && let Some((_, frame)) = self.next_frame(&mut seen)
            {
                viewer.frames.fetch_add(1, Ordering::Relaxed);
                if to.send(Message::Binary(frame)).await.is_err() {
                    return;
                }
            }
            if let Some(how) = has_ended {
                let _ = to.send(Message::Binary(Said::Ended(how.clone()).to_bytes().into())).await;
                let _ = to.close().await;
                return;
            }
            viewer.changed.notified().await;
            if viewer.has_left.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// All that is small and that the browser has not seen.
    pub(crate) fn news(&self, seen: &mut Seen) -> Vec<Bytes> {
        let mut news = Vec::new();
        if !std::mem::replace(&mut seen.hello, true) {
            news.push(Said::Hello { program: self.program.clone(), ranks: self.ranks });
            let is_untold = self.apart.as_ref().is_some_and(|apart| !apart.is_by_node());
            news.extend(is_untold.then(|| Said::Untold(UNTOLD.to_owned())));
        }
        for (id, (name, control)) in self.controls.all().into_iter().enumerate() {
            news.extend(control.news(id, &name, seen.controls.entry(id).or_default()));
        }
        for (number, (name, text)) in self.texts.all().into_iter().enumerate() {
            let (changes, text) = &*lock(&text.0);
            if seen.texts.insert(number, *changes) != Some(*changes) {
                news.push(Said::Text { name, text: text.clone() });
            }
        }
        for (number, (name, described)) in self.descriptions.all().into_iter().enumerate() {
            news.extend(described.news(&name, seen.descriptions.entry(number).or_default()));
        }
        for (number, (name, curve)) in self.curves.all().into_iter().enumerate() {
            news.extend(curve.news(&name, seen.curves.entry(number).or_default()));
        }
        news.extend(self.activity.news(&mut seen.samples));
        let notices = lock(&self.notices);
        news.extend(notices[seen.notices..].iter().cloned().map(Said::Notice));
        seen.notices = notices.len();
        let paused = self.paused.load(Ordering::Relaxed);
        if std::mem::replace(&mut seen.paused, paused) != paused {
            news.push(Said::Paused(paused));
        }
        news.iter().map(|said| said.to_bytes().into()).collect()
    }

    /// The number of the next figure of which the browser has seen only older frames, and its newest one.
    pub(crate) fn next_frame(&self, seen: &mut Seen) -> Option<(usize, Bytes)> {
        let figures = self.figures.all();
        for n in 0..figures.len() {
            let number = (seen.turn + n) % figures.len();
            let (name, figure) = &figures[number];
            if let Some((frame, message)) = figure.news(name, number, seen.figures.get(&number).copied()) {
                seen.figures.insert(number, frame);
                seen.turn = number + 1;
                return Some((number, message));
            }
        }
        None
    }
}

/// Does what the browser asks for, until it leaves.
async fn listen(mut from: SplitStream<WebSocketStream<TcpStream>>, viewer: Arc<Viewer>, view: Arc<View>) {
    while let Some(Ok(message)) = from.next().await {
        match message {
            Message::Binary(bytes) => {
                let Some(asked) = Asked::read(&bytes) else { break };
                viewer.does(asked, &view);
            }
            Message::Close(_) => break,
            _ => {}
        }
    }
    viewer.has_left.store(true, Ordering::Relaxed);
    viewer.wake();
}
