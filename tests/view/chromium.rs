//! A headless Chromium that is told what to do by its DevTools protocol.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A browser that needs longer for anything hangs.
pub const LIMIT: Duration = Duration::from_secs(300);

pub struct Chromium {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    calls: u64,
}

/// A tab of the browser.
#[derive(Clone)]
pub struct Tab {
    target: String,
    session: String,
}

impl Chromium {
    /// Starts the browser of this machine, whose profile goes into the folder.
    pub fn start(folder: &Path) -> Result<Chromium, Failed> {
        let program = std::env::var_os("RANKINE_CHROMIUM").unwrap_or_else(|| "chromium".into());
        let mut command = Command::new(&program);
        // As root it has no sandbox of its own; without a graphics card WebGL is computed.
        command.args(["--headless=new", "--no-sandbox", "--no-first-run", "--enable-unsafe-swiftshader"]);
        command.args([
            "--remote-debugging-port=0",
            "--window-size=1200,900",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
        ]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.arg(format!("--user-data-dir={}", folder.display())).arg("about:blank");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| {
            format!(
                "{}: {error}; install chromium, or name a browser of its kind by RANKINE_CHROMIUM",
                program.display()
            )
        })?;
        let errors = child.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
        let Some(address) = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
        else {
            kill(&mut child);
            return Err("the browser ended before it listened".into());
        };
        // What it says must be read, or it stands still.
        std::thread::spawn(move || lines.count());
        let (socket, _) = tungstenite::connect(address.trim()).map_err(|error| error.to_string())?;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(LIMIT)).map_err(|error| error.to_string())?;
        }
        Ok(Chromium { child, socket, calls: 0 })
    }

    fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, Failed> {
        self.calls += 1;
        let mut call = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = session {
            call["sessionId"] = session.into();
        }
        self.socket.send(Message::text(call.to_string())).map_err(|error| format!("{method}: {error}"))?;
        loop {
            let message = self.socket.read().map_err(|error| format!("{method}: {error}"))?;
            let Ok(text) = message.to_text() else { continue };
            let mut answer: Value = serde_json::from_str(text).unwrap_or_default();
            if answer["id"] == self.calls {
                if let Some(error) = answer.get("error") {
                    return Err(format!("{method}: {error}").into());
                }
                return Ok(answer["result"].take());
            }
        }
    }

    /// Opens a page in a tab of its own.
    pub fn open(&mut self, url: &str) -> Result<Tab, Failed> {
        let target = self.call(None, "Target.createTarget", json!({"url": url}))?;
        let target = target["targetId"].as_str().unwrap_or_default().to_owned();
        let attached = self.call(None, "Target.attachToTarget", json!({"targetId": target, "flatten": true}))?;
        Ok(Tab { target, session: attached["sessionId"].as_str().unwrap_or_default().to_owned() })
    }

    /// Closes a tab.
    pub fn close(&mut self, tab: &Tab) -> Result<(), Failed> {
        self.call(None, "Target.closeTarget", json!({"targetId": tab.target})).map(drop)
    }

    /// Has a tab's page end as if its process had failed, and waits until that has happened.
    pub fn crash(&mut self, tab: &Tab) -> Result<(), Failed> {
        self.call(Some(&tab.session), "Inspector.enable", json!({}))?;
        self.calls += 1;
        let call = json!({"id": self.calls, "method": "Page.crash", "sessionId": tab.session});
        self.socket.send(Message::text(call.to_string())).map_err(|error| format!("Page.crash: {error}"))?;
        loop {
            let message = self.socket.read().map_err(|error| format!("Page.crash: {error}"))?;
            let said: Value =
                message.to_text().map(serde_json::from_str).map_or(Value::Null, Result::unwrap_or_default);
            if said["method"] == "Inspector.targetCrashed" && said["sessionId"] == tab.session.as_str() {
                return Ok(());
            }
        }
    }

    /// Has a tab's page see another world than there is.
    pub fn emulate(&mut self, tab: &Tab, method: &str, parameters: Value) -> Result<(), Failed> {
        self.call(Some(&tab.session), method, parameters).map(drop)
    }

    /// The value of an expression in a tab.
    pub fn value(&mut self, tab: &Tab, expression: &str) -> Result<Value, Failed> {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call(Some(&tab.session), "Runtime.evaluate", parameters)?;
        match result.get("exceptionDetails") {
            Some(details) => Err(format!("{expression}: {details}").into()),
            None => Ok(result["result"]["value"].take()),
        }
    }

    /// Waits until an expression is true in a tab.
    pub fn wait(&mut self, tab: &Tab, expression: &str) -> Result<(), Failed> {
        let start = Instant::now();
        loop {
            // Before a page is there, nothing can be asked.
            let value = self.value(tab, expression);
            if matches!(value, Ok(Value::Bool(true))) {
                return Ok(());
            }
            if start.elapsed() > LIMIT {
                value?;
                let shows = self.value(tab, "document.body.innerText")?;
                return Err(
                    format!("never true: {expression}\nThe page shows:\n{}", shows.as_str().unwrap_or("")).into()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key in a tab.
    pub fn press(&mut self, tab: &Tab, key: &str, code: u32) -> Result<(), Failed> {
        for kind in ["rawKeyDown", "keyUp"] {
            let parameters = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            self.call(Some(&tab.session), "Input.dispatchKeyEvent", parameters)?;
        }
        Ok(())
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

fn kill(child: &mut Child) {
    // SAFETY: a plain system call; the child leads its own group and has not been waited for.
    unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
    let _ = child.wait();
}
