//! Serves the page: a thread with a runtime of its own, which answers on a socket that listens already.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};
use std::pin::pin;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::http::{Admitted, Door, File, LONGEST, Refusal, Request};
use crate::{Recording, View};

/// Where a page is to be served: loopback and any port, unless the user says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

impl Default for Address {
    fn default() -> Self {
        Address { host: "127.0.0.1".into(), port: 0 }
    }
}

impl FromStr for Address {
    type Err = String;

    /// `ADDR:PORT`, `ADDR` or `PORT`.
    fn from_str(text: &str) -> Result<Address, String> {
        let usual = Address::default();
        if text.is_empty() {
            return Ok(usual);
        }
        if let Ok(port) = text.parse() {
            return Ok(Address { port, ..usual });
        }
        if text.parse::<IpAddr>().is_ok() {
            return Ok(Address { host: text.into(), port: 0 });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| format!("{port} is not a port"))?),
            None => (text, 0),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        Ok(Address { host: host.into(), port })
    }
}

/// What a page shows.
pub enum Source {
    /// A job that runs.
    Job(Arc<View>),
    /// What a job has shown.
    Recording(Arc<Recording>),
}

impl Source {
    async fn serve(&self, socket: WebSocketStream<TcpStream>) {
        match self {
            Source::Job(view) => view.clone().serve(socket).await,
            Source::Recording(recording) => recording.clone().serve(socket).await,
        }
    }

    /// Does what is to be done beside answering, until nobody need be answered any more.
    async fn accompany(&self) {
        match self {
            Source::Job(view) => {
                futures_util::future::select(pin!(view.sample()), pin!(view.told())).await;
            }
            Source::Recording(_) => std::future::pending().await,
        }
    }
}

/// A socket that listens, and nobody answers yet.
pub struct Server {
    listener: TcpListener,
    door: Door,
    at: SocketAddr,
    patience: Duration,
}

/// Until a request's head must have come, and an answer be gone.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at a time of those that have shown the token, sockets of pages among them.
const MOST_CONNECTIONS: usize = 2 * crate::viewer::MOST_VIEWERS;
/// Connections at a time of those that have not. Every user of the machine can make some, so the oldest gives way to the next: a
/// browser sends its request at once, and is not kept out by those that wait.
const MOST_STRANGERS: usize = 128;
/// The longest message of a page.
const LONGEST_MESSAGE: usize = 1 << 10;

impl Server {
    /// Listens there.
    pub fn listen(address: &Address) -> Result<Server> {
        let Address { host, port } = address;
        let listen = || {
            let places: Vec<SocketAddr> = (host.as_str(), *port).to_socket_addrs()?.collect();
            let listener = TcpListener::bind(&places[..])?;
            listener.set_nonblocking(true)?;
            let at = listener.local_addr()?;
            std::io::Result::Ok((listener, at))
        };
        let (listener, at) = listen().with_context(|| format!("a page at {host}:{port}"))?;
        let mut token = [0; 16];
        getrandom::fill(&mut token).context("a token for the page")?;
        let token = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = host.parse::<IpAddr>().is_err().then(|| host.clone());
        Ok(Server { listener, door: Door { token, name }, at, patience: PATIENCE })
    }

    /// The address of the page, token included.
    pub fn url(&self) -> String {
        let host = self.door.name.clone().unwrap_or_else(|| match self.at {
            SocketAddr::V4(at) => at.ip().to_string(),
            SocketAddr::V6(at) => format!("[{}]", at.ip()),
        });
        format!("http://{host}:{}/{}/", self.at.port(), self.door.token)
    }

    /// Whether it can be reached from this machine alone.
    pub fn is_loopback(&self) -> bool {
        self.at.ip().is_loopback()
    }

    /// Answers, on a thread of its own: as long as the process lives, or until a job has ended and its pages have been told.
    pub fn start(self, source: Source) -> Result<JoinHandle<()>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let serve = move || runtime.block_on(self.serve(Arc::new(source)));
        Ok(std::thread::Builder::new().name("view".into()).spawn(serve)?)
    }

    async fn serve(self, source: Arc<Source>) {
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        let hall = Arc::new(Hall {
            door: self.door,
            room: Semaphore::new(MOST_CONNECTIONS),
            patience: self.patience,
            strangers: Mutex::default(),
        });
        let accepting = async {
            let mut number = 0;
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (its, source) = (hall.clone(), source.clone());
                        number += 1;
                        let task = tokio::spawn(async move {
                            // Whoever goes away meanwhile has no need of an answer.
                            let _ = answer(stream, Stranger { hall: &its, number }, &source).await;
                        });
                        hall.enter(number, task.abort_handle());
                    }
                    // No descriptor is left, or the connection has ended already.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        };
        futures_util::future::select(pin!(accepting), pin!(source.accompany())).await;
    }
}

/// Where connections come in.
struct Hall {
    door: Door,
    /// For those that were admitted.
    room: Semaphore,
    patience: Duration,
    /// The tasks of the others, the oldest first.
    strangers: Mutex<VecDeque<(u64, AbortHandle)>>,
}

impl Hall {
    /// One more, which does not run yet.
    fn enter(&self, number: u64, task: AbortHandle) {
        let oldest = {
            let mut strangers = self.strangers();
            strangers.push_back((number, task));
            if strangers.len() > MOST_STRANGERS { strangers.pop_front() } else { None }
        };
        if let Some((_, oldest)) = oldest {
            oldest.abort();
        }
    }

    fn strangers(&self) -> MutexGuard<'_, VecDeque<(u64, AbortHandle)>> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that has not shown the token, until it is admitted or gone.
struct Stranger<'a> {
    hall: &'a Hall,
    number: u64,
}

impl Drop for Stranger<'_> {
    fn drop(&mut self) {
        self.hall.strangers().retain(|(number, _)| *number != self.number);
    }
}

/// Answers one connection.
async fn answer(mut stream: TcpStream, stranger: Stranger<'_>, source: &Source) -> Result<()> {
    let Hall { door, room, patience, .. } = stranger.hall;
    stream.set_nodelay(true)?;
    let (request, rest) = match timeout(*patience, head(&mut stream)).await?? {
        Ok(head) => head,
        Err(refusal) => return timeout(*patience, refuse(&mut stream, &refusal)).await?,
    };
    let host = request.host.clone();
    let admitted = match door.admit(request) {
        Err(refusal) => return timeout(*patience, refuse(&mut stream, &refusal)).await?,
        Ok(admitted) => admitted,
    };
    let _place = timeout(*patience, room.acquire()).await??;
    drop(stranger);
    match admitted {
        Admitted::File(file) => timeout(*patience, give(&mut stream, file, &host)).await?,
        Admitted::Socket(key) => {
            let accept = derive_accept_key(key.as_bytes());
            let head = format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await?;
            let longest = WebSocketConfig::default()
                .max_message_size(Some(LONGEST_MESSAGE))
                .max_frame_size(Some(LONGEST_MESSAGE));
            let socket = WebSocketStream::from_partially_read(stream, rest, Role::Server, Some(longest)).await;
            source.serve(socket).await;
            Ok(())
        }
    }
}

/// A request's head, and what has come behind it.
async fn head(stream: &mut TcpStream) -> Result<Result<(Request, Vec<u8>), Refusal>> {
    let mut bytes = Vec::new();
    loop {
        match Request::read(&bytes) {
            Ok(None) => {}
            Ok(Some((request, length))) => return Ok(Ok((request, bytes.split_off(length)))),
            Err(refusal) => return Ok(Err(refusal)),
        }
        let mut piece = [0; 2048];
        let read = stream.read(&mut piece[..(LONGEST - bytes.len()).min(2048)]).await?;
        anyhow::ensure!(read > 0, "the request has no end");
        bytes.extend_from_slice(&piece[..read]);
    }
}

async fn refuse(stream: &mut TcpStream, Refusal(status, why): &Refusal) -> Result<()> {
    let reason = match status {
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Bad Request",
    };
    respond(stream, &format!("{status} {reason}"), "text/plain; charset=utf-8", "", format!("{why}\n").as_bytes()).await
}

/// A file; the page is told what it may load and do: its own files and its own socket, nothing else.
async fn give(stream: &mut TcpStream, file: &File, host: &str) -> Result<()> {
    let policy = format!(
        "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    );
    respond(stream, "200 OK", file.kind, &policy, file.bytes).await
}

async fn respond(stream: &mut TcpStream, status: &str, kind: &str, more: &str, body: &[u8]) -> Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n{more}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::TcpStream;

    /// Whoever connects and says nothing keeps nobody out who knows the token, and those that do go on.
    #[test]
    fn strangers_keep_nobody_out() {
        let server = Server::listen(&Address::default()).unwrap();
        let (at, path) = (server.at, format!("/{}/style.css", server.door.token));
        let view = View::new("a.wasm".into(), 1, true);
        let served = Server { patience: Duration::from_secs(3600), ..server }.start(Source::Job(view.clone())).unwrap();
        let connect = || {
            let stream = TcpStream::connect(at).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream
        };
        let asks = || {
            let mut stream = connect();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {at}\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            assert!(answer.starts_with(b"HTTP/1.1 200 OK"), "{}", String::from_utf8_lossy(&answer));
        };
        let is_open = |mut stream: &TcpStream| {
            stream.set_nonblocking(true).unwrap();
            let read = stream.read(&mut [0]);
            read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        };
        let few: Vec<_> = (0..=MOST_CONNECTIONS).map(|_| connect()).collect();
        asks();
        assert!(few.iter().all(is_open));
        let more: Vec<_> = (0..2 * MOST_STRANGERS).map(|_| connect()).collect();
        asks();
        // The oldest have given way.
        for mut stream in &few {
            stream.set_nonblocking(false).unwrap();
            let read = stream.read(&mut [0]);
            let is_closed =
                matches!(read, Ok(0)) || read.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset);
            assert!(is_closed);
        }
        assert!(is_open(more.last().unwrap()));
        (0..MOST_CONNECTIONS + 2).for_each(|_| asks());
        view.end("finished".into());
        drop((few, more));
        served.join().unwrap();
    }

    #[test]
    fn addresses_are_short_where_they_can_be() {
        let address = |host: &str, port| Ok(Address { host: host.into(), port });
        assert_eq!("".parse(), address("127.0.0.1", 0));
        assert_eq!("8000".parse(), address("127.0.0.1", 8000));
        assert_eq!("0.0.0.0:80".parse(), address("0.0.0.0", 80));
        assert_eq!("[::1]:80".parse(), address("::1", 80));
        assert_eq!("::1".parse(), address("::1", 0));
        assert_eq!("node7:80".parse(), address("node7", 80));
        assert!("node7:http".parse::<Address>().is_err());
    }
}
