//! Reads the input of a command other than its documents: lists, batches, edits and content.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::host::{Host, Stdin};
use super::output::{Note, Sink};
use folio_files::error::{Error, Hint};
use folio_files::pipe::Input;

/// Time to wait for standard input before a note is printed.
const STDIN_NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval at which a run checks for cancellation while it waits for standard input.
const STDIN_INTERVAL: Duration = Duration::from_millis(20);

/// Reads a whole file, or standard input for `-`.
pub fn whole_input(file: &OsStr, host: &Host) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let result = if file == "-" {
        host.open_stdin()?.read_to_end(&mut bytes).map(|_| ())
    } else {
        Input::open(Path::new(file), &host.env)?.read_to_end(&mut bytes).map(|_| ())
    };
    result.map_err(|error| Error::io(&error, Path::new(file)))?;
    Ok(bytes)
}

/// Waits for the first bytes of standard input, and prints a note if this takes long. Used if no
/// operand is `-`. Also returns whether there are any bytes.
pub fn await_stdin(host: &Host, sink: &mut dyn Sink) -> Result<(Host, bool), Error> {
    let mut stream = host.open_stdin()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut head = vec![0; 64 * 1024];
        let read = loop {
            match stream.read(&mut head) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let _ = sender.send(read.map(|count| {
            head.truncate(count);
            (count > 0, io::Cursor::new(head).chain(stream))
        }));
    });
    let started = Instant::now();
    let mut has_noticed = false;
    loop {
        match receiver.recv_timeout(STDIN_INTERVAL) {
            Ok(Ok((has_come, stream))) => return Ok((host_reading(host, stream), has_come)),
            Ok(Err(error)) => return Err(Error::io(&error, Path::new("-"))),
            Err(RecvTimeoutError::Disconnected) => {
                return Ok((host_reading(host, io::empty()), false));
            }
            Err(RecvTimeoutError::Timeout) => host.env.cancel.check()?,
        }
        if !has_noticed && started.elapsed() >= STDIN_NOTICE_TIMEOUT {
            has_noticed = true;
            sink.note(Note::new(
                "waiting for standard input; to process files, name them, or use . for all files here",
            ));
        }
    }
}

/// Returns a host whose standard input is a stream.
fn host_reading(host: &Host, stream: impl Read + Send + 'static) -> Host {
    let stream: Box<dyn Read + Send> = Box::new(stream);
    let slot = Mutex::new(Some(stream));
    let open = move || {
        let stream = slot.lock().ok().and_then(|mut slot| slot.take());
        stream.unwrap_or_else(|| Box::new(io::empty()))
    };
    Host { stdin: Some(Stdin { is_data: || true, open: Arc::new(open) }), ..host.clone() }
}

/// Reads standard input into memory, and returns a host with which it can be opened several times.
pub fn keep_stdin(host: &Host) -> Result<Host, Error> {
    let bytes: Arc<[u8]> = whole_input(OsStr::new("-"), host)?.into();
    let open = move || -> Box<dyn Read + Send> { Box::new(io::Cursor::new(Arc::clone(&bytes))) };
    Ok(Host { stdin: Some(Stdin { is_data: || true, open: Arc::new(open) }), ..host.clone() })
}

/// Returns the host for a command without operands, if standard input is a pipe or a file
/// and is read instead.
///
/// # Errors
///
/// Fails if standard input is empty, because the user probably forgot an operand. `hint` is the call
/// with one.
pub fn piped_stdin(hint: Hint, host: &Host, sink: &mut dyn Sink) -> Result<Option<Host>, Error> {
    if !host.stdin_is_data() {
        return Ok(None);
    }
    match await_stdin(host, sink)? {
        (host, true) => Ok(Some(host)),
        _ => Err(Error::usage("no file was named, and standard input is empty").hint(hint)),
    }
}
