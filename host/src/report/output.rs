//! Standard output and standard error of all ranks: lines of different ranks never mix.
//!
//! Each rank's stream collects a partial line and hands over whole lines; all lines of a job meet in one [`Sink`] per
//! descriptor. On a terminal a line is written at once. Otherwise lines are gathered and a background thread writes
//! them a moment later, so that a pipe's reader is never far behind and a million lines don't cost a million system
//! calls.
//!
//! Guests are told that their output is a terminal: their C library then hands over each line as it is printed, and a
//! rank that traps has lost nothing.

use std::io::{self, Write};
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use rankine_guest::Growing;
use rankine_guest::Who;
use tokio::io::{AsyncRead, AsyncWrite};
use wasmtime_wasi::cli::{IsTerminal, StdinStream, StdoutStream};
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

/// Gathered bytes at which the rank that writes flushes by itself.
const GATHER: usize = 64 << 10;
/// How long gathered lines may wait.
const DELAY: Duration = Duration::from_millis(2);
/// A partial line that grows beyond this is handed over although it is not complete.
const LONGEST_LINE: usize = 1 << 20;

/// Where one descriptor's lines meet.
struct Sink {
    state: Mutex<Gathered>,
    /// Told when the first line is gathered.
    filled: Condvar,
    /// Each write goes out at once.
    direct: bool,
}

struct Gathered {
    target: Box<dyn Write + Send>,
    bytes: Vec<u8>,
    /// Nobody reads any more: everything further is dropped.
    closed: bool,
    /// Why something was not written.
    failed: Option<io::ErrorKind>,
    /// The thread that flushes has been started.
    flushing: bool,
}

impl Gathered {
    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        self.write(&bytes)?;
        // Keep the allocation for the next lines.
        self.bytes = bytes;
        self.bytes.clear();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let written = self.target.write_all(bytes).and_then(|()| self.target.flush());
        self.closed = written.is_err();
        self.failed = written.as_ref().err().map(io::Error::kind);
        written
    }
}

impl Sink {
    fn new(target: Box<dyn Write + Send>, direct: bool) -> Arc<Sink> {
        let state = Gathered { target, bytes: Vec::new(), closed: false, failed: None, flushing: false };
        Arc::new(Sink { state: Mutex::new(state), filled: Condvar::new(), direct })
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(self: &Arc<Self>, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        if self.direct || state.closed {
            return state.write(bytes);
        }
        let first = state.bytes.is_empty();
        state.bytes.extend_from_slice(bytes);
        if state.bytes.len() >= GATHER {
            return state.flush();
        }
        if !std::mem::replace(&mut state.flushing, true) {
            let sink = self.clone();
            let started = std::thread::Builder::new().name("output".into()).spawn(move || sink.flush_soon());
            // Where the system has no thread left, nothing waits.
            if started.is_err() {
                state.flushing = false;
                return state.flush();
            }
        }
        drop(state);
        if first {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// The background thread: for every gathered line, writes within [`DELAY`].
    fn flush_soon(&self) {
        loop {
            let state = self.lock();
            drop(self.filled.wait_while(state, |state| state.bytes.is_empty()).unwrap_or_else(PoisonError::into_inner));
            std::thread::sleep(DELAY);
            // A failure is remembered in the state and met by the next write.
            let _ = self.lock().flush();
        }
    }
}

/// Which of the two streams.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The output of a whole job.
pub struct Output {
    out: Arc<Sink>,
    err: Arc<Sink>,
    /// Prefix each line with its rank.
    label: bool,
    /// By rank.
    voices: Growing<Voice>,
    /// Called once, when a rank writes after the reader of standard output has gone away.
    closed: Box<dyn Fn() + Send + Sync>,
    told: Once,
    /// A hint was given to the user.
    hinted: Once,
    /// What helps if a program fails.
    helps: Mutex<Option<String>>,
}

/// What one rank says.
#[derive(Default)]
struct Voice {
    /// Unknown of one that has not begun.
    who: OnceLock<Who>,
    /// What it has not finished of a line, for both streams.
    partial: [Mutex<Vec<u8>>; 2],
}

impl Voice {
    fn new(who: Who) -> Voice {
        Voice { who: OnceLock::from(who), partial: Default::default() }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io::Result;
    use std::os::fd::AsFd;

    /// The same stream once more, for bytes as they are.
    pub(super) fn again(stream: &impl AsFd) -> Result<File> {
        stream.as_fd().try_clone_to_owned().map(File::from)
    }
}

#[cfg(windows)]
mod system {
    use std::fs::File;
    use std::io::Result;
    use std::os::windows::io::AsHandle;

    /// The same stream once more, for bytes as they are.
    pub(super) fn again(stream: &impl AsHandle) -> Result<File> {
        stream.as_handle().try_clone_to_owned().map(File::from)
    }
}

/// What a stream is written by; nothing is where there is no such stream.
fn writer(stream: io::Result<std::fs::File>) -> Box<dyn Write + Send> {
    match stream {
        Ok(file) => Box::new(file),
        Err(_) => Box::new(io::sink()),
    }
}

impl Output {
    /// The process's own descriptors, shared by these ranks of the job; here they count from 0.
    pub fn inherit(
        ranks: impl Iterator<Item = Who>,
        label: bool,
        closed: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Output> {
        let out = io::stdout();
        let sinks = (
            Sink::new(writer(system::again(&out)), out.is_terminal()),
            // Errors are rare and urgent.
            Sink::new(writer(system::again(&io::stderr())), true),
        );
        Output::new(ranks, label, sinks, closed)
    }

    fn new(
        ranks: impl Iterator<Item = Who>,
        label: bool,
        (out, err): (Arc<Sink>, Arc<Sink>),
        closed: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Output> {
        let voices = Growing::new(ranks.map(Voice::new));
        let (closed, told, hinted) = (Box::new(closed), Once::new(), Once::new());
        Arc::new(Output { out, err, label, voices, closed, told, hinted, helps: Mutex::default() })
    }

    /// More ranks begin.
    pub fn introduce(&self, ranks: Range<usize>, who: impl Fn(usize) -> Who) {
        self.voices.reach(ranks.end, |_| Voice::default());
        for rank in ranks {
            let _ = self.voices[rank].who.set(who(rank));
        }
    }

    /// Which rank it is that has a number here.
    pub fn who(&self, rank: usize) -> Who {
        self.voices.get(rank).and_then(|voice| voice.who.get().copied()).unwrap_or_else(|| rank.into())
    }

    fn partial(&self, rank: usize, stream: Stream) -> MutexGuard<'_, Vec<u8>> {
        self.voices[rank].partial[stream as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a rank wrote and hands over the lines it completes.
    fn write(&self, rank: usize, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if self.voices.len() == 1 && !self.label {
            return self.emit(stream, bytes);
        }
        let mut partial = self.partial(rank, stream);
        let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else {
            partial.extend_from_slice(bytes);
            if partial.len() <= LONGEST_LINE {
                return Ok(());
            }
            let long = std::mem::take(&mut *partial);
            return self.emit(stream, &long);
        };
        partial.extend_from_slice(&bytes[..=end]);
        let written = self.emit(stream, &self.labelled(rank, &partial));
        partial.clear();
        partial.extend_from_slice(&bytes[end + 1..]);
        written
    }

    fn labelled<'a>(&self, rank: usize, lines: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        if !self.label {
            return lines.into();
        }
        let label = format!("[{}] ", self.who(rank).label()).into_bytes();
        lines
            .split_inclusive(|&byte| byte == b'\n')
            .flat_map(|line| [label.as_slice(), line])
            .collect::<Vec<_>>()
            .concat()
            .into()
    }

    fn emit(&self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match stream {
            Stream::Out => {
                let written = self.out.write(bytes);
                if let Err(error) = &written {
                    self.told.call_once(|| {
                        // A reader that has gone, such as `head`, has what it wanted; anything else is news.
                        if error.kind() != io::ErrorKind::BrokenPipe {
                            let _ = self.err.write(format!("rankine: the standard output: {error}\n").as_bytes());
                        }
                        (self.closed)();
                    });
                }
                written
            }
            Stream::Err => {
                // What was printed before an error message belongs before it.
                let _ = self.out.lock().flush();
                self.err.write(bytes)
            }
        }
    }

    /// Tells the user something that helps, once in a job.
    pub fn hint(&self, text: &str) {
        self.hinted.call_once(|| drop(self.emit(Stream::Err, format!("rankine: {text}\n").as_bytes())));
    }

    /// Keeps something that helps if a program fails; what was kept first is told.
    pub fn hint_if_failed(&self, text: String) {
        self.helps.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }

    /// Keeps something that helps rather than what was kept before.
    pub fn hint_rather(&self, text: String) {
        *self.helps.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// Tells it: one has failed.
    pub fn give_hint(&self) {
        let text = self.helps.lock().unwrap_or_else(PoisonError::into_inner).take();
        text.iter().for_each(|text| self.hint(text));
    }

    /// Shows a rank's unfinished lines as they are: it is about to read an answer to them.
    fn show_prompt(&self, rank: usize) {
        for stream in [Stream::Out, Stream::Err] {
            let prompt = std::mem::take(&mut *self.partial(rank, stream));
            if !prompt.is_empty() {
                let _ = self.emit(stream, &self.labelled(rank, &prompt));
            }
        }
        let _ = self.out.lock().flush();
    }

    /// The rank will write no more: its last line is complete even without a newline.
    pub fn finish_rank(&self, rank: usize) {
        for stream in [Stream::Out, Stream::Err] {
            let mut last = std::mem::take(&mut *self.partial(rank, stream));
            if !last.is_empty() {
                last.push(b'\n');
                let _ = self.emit(stream, &self.labelled(rank, &last));
            }
        }
    }

    /// Writes out everything, unfinished lines of all ranks included. An error says that some of the standard output is lost, to
    /// somebody else than a reader that has gone.
    pub fn finish(&self) -> io::Result<()> {
        for rank in 0..self.voices.len() {
            self.finish_rank(rank);
        }
        let mut out = self.out.lock();
        let _ = out.flush();
        match out.failed {
            Some(kind) if kind != io::ErrorKind::BrokenPipe => Err(kind.into()),
            _ => Ok(()),
        }
    }

    /// The writing end of a rank's stream, for its WASI state.
    pub fn stream(self: &Arc<Self>, rank: usize, stream: Stream) -> Writer {
        Writer { output: self.clone(), rank, stream }
    }

    /// Standard input for the one rank that gets it.
    pub fn stdin(self: &Arc<Self>, rank: usize) -> Prompting {
        Prompting { output: self.clone(), rank }
    }
}

/// One rank's standard output or error.
#[derive(Clone)]
pub struct Writer {
    output: Arc<Output>,
    rank: usize,
    stream: Stream,
}

impl IsTerminal for Writer {
    fn is_terminal(&self) -> bool {
        true
    }
}

impl StdoutStream for Writer {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Writer {
    async fn ready(&mut self) {}
}

impl OutputStream for Writer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.output.write(self.rank, self.stream, &bytes).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => StreamError::Closed,
            _ => StreamError::LastOperationFailed(error.into()),
        })
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(GATHER)
    }
}

impl AsyncWrite for Writer {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.output.write(self.rank, self.stream, bytes).map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// The process's standard input, which shows the reader's unfinished lines before it waits for an answer.
pub struct Prompting {
    output: Arc<Output>,
    rank: usize,
}

impl IsTerminal for Prompting {
    fn is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }
}

impl StdinStream for Prompting {
    fn async_stream(&self) -> Box<dyn AsyncRead + Send + Sync> {
        wasmtime_wasi::cli::stdin().async_stream()
    }

    fn p2_stream(&self) -> Box<dyn InputStream> {
        let input = wasmtime_wasi::cli::stdin().p2_stream();
        Box::new(PromptingStream { input, output: self.output.clone(), rank: self.rank })
    }
}

struct PromptingStream {
    input: Box<dyn InputStream>,
    output: Arc<Output>,
    rank: usize,
}

#[wasmtime_wasi::async_trait]
impl Pollable for PromptingStream {
    async fn ready(&mut self) {
        self.output.show_prompt(self.rank);
        self.input.ready().await;
    }
}

impl InputStream for PromptingStream {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        self.input.read(size)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// A target that tests can look into, that can be closed, and that can be full.
    #[derive(Clone, Default)]
    struct Page {
        text: Arc<Mutex<Vec<u8>>>,
        closed: Arc<Mutex<bool>>,
        full: Arc<Mutex<bool>>,
    }

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if *self.closed.lock().unwrap() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if *self.full.lock().unwrap() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.text.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.text.lock().unwrap().clone()).unwrap()
        }
    }

    fn job(ranks: usize, label: bool) -> (Arc<Output>, Page, Page, Arc<Mutex<usize>>) {
        let (out, err) = (Page::default(), Page::default());
        let closed = Arc::new(Mutex::new(0));
        let count = closed.clone();
        let sinks = (Sink::new(Box::new(out.clone()), false), Sink::new(Box::new(err.clone()), true));
        let output = Output::new((0..ranks).map(Who::from), label, sinks, move || *count.lock().unwrap() += 1);
        (output, out, err, closed)
    }

    #[test]
    fn lines_of_ranks_do_not_mix() {
        let (output, out, _, _) = job(2, false);
        output.write(0, Stream::Out, b"hel").unwrap();
        output.write(1, Stream::Out, b"other\npart").unwrap();
        output.write(0, Stream::Out, b"lo\n").unwrap();
        output.finish().unwrap();
        assert_eq!(out.text(), "other\nhello\npart\n");
    }

    #[test]
    fn labels_every_line() {
        let (output, out, err, _) = job(12, true);
        output.write(11, Stream::Out, b"a\nb\nc").unwrap();
        output.write(3, Stream::Err, b"oops\n").unwrap();
        output.finish().unwrap();
        assert_eq!(out.text(), "[11] a\n[11] b\n[11] c\n");
        assert_eq!(err.text(), "[3] oops\n");
    }

    #[test]
    fn a_single_rank_passes_bytes_through() {
        let (output, out, _, _) = job(1, false);
        output.write(0, Stream::Out, b"no newline").unwrap();
        output.finish().unwrap();
        assert_eq!(out.text(), "no newline");
    }

    #[test]
    fn gathered_lines_come_out_soon_without_help() {
        let (output, out, _, _) = job(2, false);
        output.write(0, Stream::Out, b"soon\n").unwrap();
        // Soon where nothing else runs; here other tests may.
        let end = Instant::now() + Duration::from_secs(60);
        while out.text() != "soon\n" {
            assert!(Instant::now() < end, "not written within a minute");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_is_lost_at_the_end_is_said() {
        let (output, out, _, _) = job(1, false);
        *out.full.lock().unwrap() = true;
        output.write(0, Stream::Out, b"lost\n").unwrap();
        assert_eq!(output.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
        let (output, out, _, _) = job(1, false);
        *out.closed.lock().unwrap() = true;
        output.write(0, Stream::Out, b"not wanted\n").unwrap();
        output.finish().unwrap();
    }

    #[test]
    fn a_closed_reader_is_told_once() {
        let (output, out, _, closed) = job(1, false);
        *out.closed.lock().unwrap() = true;
        let line = vec![b'x'; GATHER];
        assert!(output.write(0, Stream::Out, &line).is_err());
        assert!(output.write(0, Stream::Out, &line).is_err());
        assert_eq!(*closed.lock().unwrap(), 1);
    }
}
