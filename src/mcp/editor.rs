//! Reads unsaved contents from an editor with the Agent Client Protocol's `fs/read_text_file`:
//! one line of JSON in each direction over a Unix socket.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};
use serde_json::{Value, json};

use folio_files::env::Cancel;

/// Maximum total time to wait for the editor.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Interval at which a waiting call checks for cancellation.
const PAUSE: Duration = Duration::from_millis(20);

/// Maximum length of an answer in bytes.
const MAX_ANSWER: usize = 64 << 20;

/// The id of the only request on a connection.
const ID: u64 = 1;

/// An editor that listens on a Unix socket.
#[derive(Clone, Debug)]
pub struct Editor {
    /// Path of the socket.
    pub socket: PathBuf,
    /// The session id under which the editor knows the client.
    pub session: String,
}

impl Editor {
    /// Returns the contents of a file in the editor, or `None` if the editor does not answer in
    /// time or does not have the file open.
    pub fn read(&self, path: &str, cancel: &Cancel) -> Option<String> {
        let mut line = self.ask(path, cancel).ok()?;
        let content = line.get_mut("result")?.get_mut("content")?.take();
        match content {
            Value::String(content) => Some(content),
            _ => None,
        }
    }

    fn ask(&self, path: &str, cancel: &Cancel) -> io::Result<Value> {
        let deadline = Instant::now() + TIMEOUT;
        let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
        let mut stream = UnixStream::from(socket);
        // Non-blocking, so that folio does not wait for an editor that does not accept connections.
        stream.set_nonblocking(true)?;
        connect(&stream, &SocketAddrUnix::new(&*self.socket)?)?;
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        stream.set_read_timeout(Some(PAUSE))?;
        let params = json!({"sessionId": self.session, "path": path});
        let question =
            json!({"jsonrpc": "2.0", "id": ID, "method": "fs/read_text_file", "params": params});
        stream.write_all(format!("{question}\n").as_bytes())?;
        let mut unread = Vec::new();
        let mut block = vec![0; 64 << 10];
        while Instant::now() < deadline && !cancel.is_set() && unread.len() < MAX_ANSWER {
            match stream.read(&mut block) {
                Ok(0) => break,
                Ok(length) => unread.extend_from_slice(&block[..length]),
                Err(error) if is_pause(&error) => continue,
                Err(error) => return Err(error),
            }
            while let Some(end) = memchr::memchr(b'\n', &unread) {
                let line: Vec<u8> = unread.drain(..=end).collect();
                // Notifications may arrive before the answer.
                match serde_json::from_slice::<Value>(&line) {
                    Ok(answer) if answer["id"] == ID => return Ok(answer),
                    _ => {}
                }
            }
        }
        Err(ErrorKind::TimedOut.into())
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
