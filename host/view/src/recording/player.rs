//! One browser that looks at a recording, and where in it that is.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use rankine_view_wire::{Asked, Said};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::Recording;
use super::state::State;
use crate::lock;
use crate::viewer::MOST_FRAMES;

/// How many times as fast as the job it may go.
const SPEEDS: [f64; 2] = [0.01, 1000.0];

type Out = SplitSink<WebSocketStream<TcpStream>, Message>;

/// The browser has gone.
struct Gone;

/// What a browser asks for.
#[derive(Default)]
struct Player {
    changed: Notify,
    wanted: Mutex<Wanted>,
    /// Frames that were sent and not yet drawn.
    frames: AtomicU32,
    has_left: AtomicBool,
}

/// What it has asked for and has not got.
#[derive(Default)]
struct Wanted {
    moment: Option<u32>,
    speed: Option<f64>,
}

/// Where it is.
struct Place {
    moment: usize,
    plays: Option<Plays>,
}

/// It goes on by itself.
#[derive(Copy, Clone)]
struct Plays {
    /// The moment from which it does.
    from: usize,
    since: Instant,
    speed: f64,
}

impl Recording {
    /// Serves a browser until it has left.
    pub(crate) async fn serve(self: Arc<Recording>, socket: WebSocketStream<TcpStream>) {
        let player = Arc::new(Player::default());
        let (to, from) = socket.split();
        let listening = tokio::spawn(listen(from, player.clone()));
        // Whoever goes away meanwhile has no need of more.
        let _ = self.talk(to, &player).await;
        listening.abort();
    }

    /// Begins at the first moment, and does what is asked for.
    async fn talk(&self, mut to: Out, player: &Player) -> Result<(), Gone> {
        let (moments, length) = (self.moments() as u32, self.length().as_secs_f64());
        let note = self.cut.clone().unwrap_or_default();
        say(&mut to, &Said::Recording { moments, length, note }).await?;
        let mut place = Place { moment: 0, plays: None };
        self.jump(&mut to, player, &place).await?;
        loop {
            self.rest(player, &place).await;
            if player.has_left.load(Ordering::Relaxed) {
                return Ok(());
            }
            let has_time = player.has_time();
            let speed = lock(&player.wanted).speed.take();
            let moment = lock(&player.wanted).moment.take_if(|_| has_time);
            if let Some(speed) = speed {
                let is_at_end = place.moment + 1 == self.moments();
                if speed > 0.0 && is_at_end {
                    place.moment = 0;
                    self.jump(&mut to, player, &place).await?;
                }
                let speed = (speed > 0.0).then(|| speed.clamp(SPEEDS[0], SPEEDS[1]));
                place.plays = speed.map(|speed| Plays { from: place.moment, since: Instant::now(), speed });
                self.tell(&mut to, &place).await?;
            }
            if let Some(moment) = moment {
                place = Place { moment: (moment as usize).min(self.moments() - 1), plays: None };
                self.jump(&mut to, player, &place).await?;
            } else if has_time {
                self.go_on(&mut to, player, &mut place).await?;
            }
        }
    }

    /// Waits for something to do: the browser asks, or the next moment has come.
    async fn rest(&self, player: &Player, place: &Place) {
        let asked = player.changed.notified();
        match place.plays.filter(|_| player.has_time() && place.moment + 1 < self.moments()) {
            Some(plays) => {
                let left = self.due(plays, place.moment + 1).saturating_duration_since(Instant::now());
                let _ = tokio::time::timeout(left, asked).await;
            }
            None => asked.await,
        }
    }

    /// When a moment is to be shown.
    fn due(&self, plays: Plays, moment: usize) -> Instant {
        let after = self.time_of(moment).saturating_sub(self.time_of(plays.from));
        let after = Duration::try_from_secs_f64(after.as_secs_f64() / plays.speed).unwrap_or(FAR);
        plays.since.checked_add(after.min(FAR)).unwrap_or(plays.since)
    }

    /// Shows the newest moment that is due; those that the browser had no time for are skipped.
    async fn go_on(&self, to: &mut Out, player: &Player, place: &mut Place) -> Result<(), Gone> {
        let Some(plays) = place.plays else { return Ok(()) };
        let (now, before) = (Instant::now(), place.moment);
        while place.moment + 1 < self.moments() && self.due(plays, place.moment + 1) <= now {
            place.moment += 1;
        }
        if place.moment == before {
            return Ok(());
        }
        let entries = self.end_of(before)..self.end_of(place.moment);
        match self.news(entries.clone()) {
            Ok(news) => {
                for said in &news {
                    say(to, said).await?;
                }
            }
            Err(error) => say(to, &Said::Notice(format!("{error:#}"))).await?,
        }
        self.show(to, player, entries).await?;
        if place.moment + 1 == self.moments() {
            place.plays = None;
        }
        self.tell(to, place).await
    }

    /// Shows a moment to a page that may have seen others before.
    async fn jump(&self, to: &mut Out, player: &Player, place: &Place) -> Result<(), Gone> {
        let entries = 0..self.end_of(place.moment);
        let mut state = State::default();
        let read = self.add(&mut state, entries.clone());
        say(to, &Said::Anew).await?;
        for said in state.messages() {
            say(to, &said).await?;
        }
        if let Err(error) = read {
            say(to, &Said::Notice(format!("{error:#}"))).await?;
        }
        self.show(to, player, entries).await?;
        self.tell(to, place).await
    }

    /// Sends the last frame of each figure among entries.
    async fn show(&self, to: &mut Out, player: &Player, entries: std::ops::Range<usize>) -> Result<(), Gone> {
        for entry in self.frames(entries) {
            match self.frame(entry) {
                Ok(frame) => {
                    player.frames.fetch_add(1, Ordering::Relaxed);
                    say(to, &frame.said()).await?;
                }
                Err(error) => say(to, &Said::Notice(format!("{error:#}"))).await?,
            }
        }
        Ok(())
    }

    /// Says where the page is.
    async fn tell(&self, to: &mut Out, place: &Place) -> Result<(), Gone> {
        let time = self.time_of(place.moment).as_secs_f64();
        let speed = place.plays.map_or(0.0, |plays| plays.speed);
        say(to, &Said::At { moment: place.moment as u32, time, speed }).await
    }
}

/// As long as makes no difference any more.
const FAR: Duration = Duration::from_secs(1 << 30);

async fn say(to: &mut Out, said: &Said) -> Result<(), Gone> {
    to.send(Message::Binary(said.to_bytes().into())).await.map_err(|_| Gone)
}

impl Player {
    fn has_time(&self) -> bool {
        self.frames.load(Ordering::Relaxed) < MOST_FRAMES
    }

    fn does(&self, asked: Asked) {
        match asked {
            Asked::Show(moment) => lock(&self.wanted).moment = Some(moment),
            Asked::Play(speed) => lock(&self.wanted).speed = Some(speed),
            Asked::Drawn => {
                let one_less = |frames: u32| Some(frames.saturating_sub(1));
                let _ = self.frames.try_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
            }
            // A recording is as large as it is, and what is past can't be steered.
            Asked::Size(_) | Asked::Cut { .. } | Asked::Set { .. } | Asked::Pause(_) | Asked::Step => {}
        }
    }
}

/// Hears what the browser asks for, until it leaves.
async fn listen(mut from: SplitStream<WebSocketStream<TcpStream>>, player: Arc<Player>) {
    while let Some(Ok(message)) = from.next().await {
        match message {
            Message::Binary(bytes) => {
                let Some(asked) = Asked::read(&bytes) else { break };
                player.does(asked);
                player.changed.notify_one();
            }
            Message::Close(_) => break,
            _ => {}
        }
    }
    player.has_left.store(true, Ordering::Relaxed);
    player.changed.notify_one();
}
