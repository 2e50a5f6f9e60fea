//! Requests of browsers, and who is answered.
//!
//! There are four files and one socket, all beneath a token that only the user has been told. The `Host` of a request must
//! not be a name that somebody else's server of names could give this address (a number or `localhost` is none), and a
//! socket is opened for no other page than ours: its `Origin` is that host.

use std::net::IpAddr;

/// The longest head of a request.
pub(crate) const LONGEST: usize = 8 << 10;
const MOST_HEADERS: usize = 64;

/// What of a request counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub host: String,
    pub origin: Option<String>,
    /// The key of one that wants a socket.
    pub key: Option<String>,
}

impl Request {
    /// The request that begins with these bytes, and how long its head is; nothing if the head has not come whole yet.
    pub fn read(bytes: &[u8]) -> Result<Option<(Request, usize)>, Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let length = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if bytes.len() < LONGEST => return Ok(None),
            _ => return Err(Refusal(400, "This is not a request that is understood here.")),
        };
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            path: parsed.path.unwrap_or_default().to_owned(),
            ..Request::default()
        };
        for header in parsed.headers {
            let value = || String::from_utf8_lossy(header.value).trim().to_owned();
            match header.name.to_ascii_lowercase().as_str() {
                "host" => request.host = value(),
                "origin" => request.origin = Some(value()),
                "sec-websocket-key" => request.key = Some(value()),
                _ => {}
            }
        }
        Ok(Some((request, length)))
    }
}

/// A status of HTTP, and why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub u16, pub &'static str);

/// What a request gets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    File(&'static File),
    /// The socket, for one with this key.
    Socket(String),
}

/// A file of the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    name: &'static str,
    pub kind: &'static str,
    pub bytes: &'static [u8],
}

const FILES: [File; 5] = [
    File { name: "", kind: "text/html; charset=utf-8", bytes: include_bytes!("../page/index.html") },
    File { name: "style.css", kind: "text/css; charset=utf-8", bytes: include_bytes!("../page/style.css") },
    File { name: "start.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("../page/start.js") },
    File {
        name: "client.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../client/built/client.js"),
    },
    File { name: "client_bg.wasm", kind: "application/wasm", bytes: include_bytes!("../client/built/client_bg.wasm") },
];

/// Who is let in.
pub(crate) struct Door {
    pub token: String,
    /// The name under which the user wants to be reached, if it is one.
    pub name: Option<String>,
}

impl Door {
    /// What a request gets.
    pub fn admit(&self, request: Request) -> Result<Admitted, Refusal> {
        if !self.is_ours(&request.host) {
            return Err(Refusal(
                403,
                "This page is reached by an address in numbers, localhost, or the name that rankine was given.",
            ));
        }
        let path = request.path.strip_prefix('/').unwrap_or_default();
        let (token, file) = path.split_once('/').unwrap_or((path, "/"));
        if !is_equal(token, &self.token) {
            return Err(Refusal(403, "This is not the address that rankine has printed: its token is wrong."));
        }
        if request.method != "GET" {
            return Err(Refusal(405, "Only GET is answered."));
        }
        if file == "socket" {
            if request.origin.is_some_and(|origin| origin != format!("http://{}", request.host)) {
                return Err(Refusal(403, "Another page can't look at this job."));
            }
            return request.key.map(Admitted::Socket).ok_or(Refusal(400, "This is for a WebSocket."));
        }
        FILES.iter().find(|known| known.name == file).map(Admitted::File).ok_or(Refusal(404, "There is no such file."))
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let number = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        number.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.name.as_deref().is_some_and(|ours| name.eq_ignore_ascii_case(ours))
    }
}

/// Whether texts are equal, in a time that says nothing of where they differ.
fn is_equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door() -> Door {
        Door { token: "t0ken".into(), name: Some("node7.example".into()) }
    }

    fn request(path: &str, host: &str) -> Request {
        Request { method: "GET".into(), path: path.into(), host: host.into(), ..Request::default() }
    }

    fn status(admitted: Result<Admitted, Refusal>) -> u16 {
        match admitted {
            Ok(Admitted::File(_)) => 200,
            Ok(Admitted::Socket(_)) => 101,
            Err(Refusal(status, _)) => status,
        }
    }

    #[test]
    fn only_the_token_opens() {
        for (path, expected) in [
            ("/t0ken/", 200),
            ("/t0ken/client.js", 200),
            ("/t0ken/socket", 400),
            ("/t0ken/other", 404),
            ("/t0ken/../t0ken/", 404),
            ("/t0ken", 404),
            ("/t0keN/", 403),
            ("/t0ken0/", 403),
            ("/t0ke/", 403),
            ("/", 403),
            ("/client.js", 403),
            ("t0ken/", 403),
        ] {
            assert_eq!(status(door().admit(request(path, "127.0.0.1:80"))), expected, "{path}");
        }
        let post = Request { method: "POST".into(), ..request("/t0ken/", "localhost") };
        assert_eq!(status(door().admit(post)), 405);
    }

    #[test]
    fn only_hosts_that_nobody_else_can_name() {
        for host in ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "[::1]:8000", "10.1.2.3:9", "Node7.example:80"] {
            assert_eq!(status(door().admit(request("/t0ken/", host))), 200, "{host}");
        }
        for host in ["", "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1"] {
            assert_eq!(status(door().admit(request("/t0ken/", host))), 403, "{host}");
        }
    }

    #[test]
    fn only_our_page_gets_the_socket() {
        let from = |origin: Option<&str>| {
            let (origin, key) = (origin.map(str::to_owned), Some("key".to_owned()));
            status(door().admit(Request { origin, key, ..request("/t0ken/socket", "127.0.0.1:8000") }))
        };
        assert_eq!([from(Some("http://127.0.0.1:8000")), from(None)], [101, 101]);
        for other in ["http://127.0.0.1:8001", "https://127.0.0.1:8000", "http://evil.example", "null", ""] {
            assert_eq!(from(Some(other)), 403, "{other}");
        }
    }

    #[test]
    fn heads_are_read_whole_or_not_at_all() {
        let head = b"GET /a HTTP/1.1\r\nHOST: b\r\nOrigin:  c \r\nSec-WebSocket-Key: d\r\n\r\nrest";
        let whole = Request {
            method: "GET".into(),
            path: "/a".into(),
            host: "b".into(),
            origin: Some("c".into()),
            key: Some("d".into()),
        };
        assert_eq!(Request::read(head), Ok(Some((whole, head.len() - 4))));
        assert_eq!(Request::read(&head[..20]), Ok(None));
        assert!(Request::read(b"\x16\x03\x01 no request\r\n\r\n").is_err());
        assert!(Request::read(&[b"GET / HTTP/1.1\r\nA: ", &[b'a'; LONGEST][..]].concat()).is_err());
    }
}
