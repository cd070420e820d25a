//! Pipes, which may have nothing to read for as long as they like: a wait for
//! them can be told of, and ended.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::system::{self, Status};

/// How long a wait goes on before it is looked at again.
const STEP: Duration = Duration::from_millis(20);

type Hook = dyn Fn(&Path, Duration) -> io::Result<()> + Send + Sync;

/// What is called every now and then while a pipe has nothing to read, with its
/// path and how long that has been so. Its error, which must be of another kind
/// than `Interrupted`, ends the wait.
#[derive(Clone, Default)]
pub struct Waiting(Option<Arc<Hook>>);

impl Waiting {
    /// Has this called.
    pub fn with(hook: impl Fn(&Path, Duration) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hook)))
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Waiting").field(&self.0.is_some()).finish()
    }
}

/// What was opened to be read.
pub enum Input {
    /// What never waits for others to write, or a device.
    File(File, Status),
    /// A pipe.
    Pipe(Pipe),
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.read(buffer),
            Self::Pipe(pipe) => pipe.read(buffer),
        }
    }
}

/// A pipe that was opened without waiting for its writer.
pub struct Pipe {
    file: File,
    path: PathBuf,
    waiting: Waiting,
    /// Without a writer a FIFO is at its end at once: until there was one, only
    /// the system's word that there is something to read counts.
    has_begun: bool,
}

impl Pipe {
    pub(super) fn new(file: File, path: &Path, waiting: &Waiting) -> Self {
        // The writer of a pipe that has no name may have ended already.
        let has_begun = system::is_nameless_pipe(&file);
        Self { file, path: path.to_owned(), waiting: waiting.clone(), has_begun }
    }

    fn wait(&self) -> io::Result<()> {
        let begun = Instant::now();
        while !system::wait_to_read(&self.file, STEP)? {
            if let Some(hook) = &self.waiting.0 {
                hook(&self.path, begun.elapsed())?;
            }
        }
        Ok(())
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.has_begun {
                self.wait()?;
                self.has_begun = true;
            }
            match self.file.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.has_begun = false,
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;

    use tempfile::TempDir;

    use super::*;
    use crate::error::{Code, Error};
    use crate::files::document::{Document, DocumentOptions};
    use crate::files::roots::Roots;

    fn fifo() -> (TempDir, PathBuf) {
        let sandbox = tempfile::tempdir().expect("a directory");
        let path = sandbox.path().join("pipe.md");
        let made = Command::new("mkfifo").arg(&path).status().expect("run");
        assert!(made.success());
        (sandbox, path)
    }

    /// What a reader in a thread of its own comes to.
    fn read(path: &Path, options: DocumentOptions) -> mpsc::Receiver<Result<Vec<u8>, Error>> {
        let (sender, receiver) = mpsc::channel();
        let path = path.to_owned();
        thread::spawn(move || {
            let text = Document::open(&path, &options).and_then(|mut document| {
                let mut text = Vec::new();
                document.keep()?;
                document.reader().read_to_end(&mut text).expect("read");
                Ok(text)
            });
            let _ = sender.send(text);
        });
        receiver
    }

    const SOON: Duration = Duration::from_secs(5);

    #[test]
    fn a_fifo_is_read_once_it_is_written_to() {
        let parts: [&[&str]; 4] = [&["one\n"], &["one\n", "two\n"], &["", "one\n"], &[]];
        for parts in parts {
            let (sandbox, path) = fifo();
            let roots = Roots::open(&[sandbox.path().into()]).expect("a root");
            for roots in [Roots::default(), roots] {
                let reader = read(&path, DocumentOptions { roots, ..Default::default() });
                thread::sleep(Duration::from_millis(100));
                assert!(reader.try_recv().is_err(), "still waiting");
                let mut writer = File::options().write(true).open(&path).expect("opened");
                for part in parts {
                    io::Write::write_all(&mut writer, part.as_bytes()).expect("written");
                    thread::sleep(Duration::from_millis(40));
                }
                drop(writer);
                let text = reader.recv_timeout(SOON).expect("ended").expect("read");
                assert_eq!(text, parts.concat().as_bytes());
            }
        }
    }

    #[test]
    fn a_wait_for_a_fifo_is_told_of_and_ended() {
        let (_sandbox, path) = fifo();
        let expected = path.clone();
        let waiting = Waiting::with(move |path, time| {
            assert_eq!(path, expected);
            let is_over = time > Duration::from_millis(200);
            if is_over { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
        });
        let options = DocumentOptions { waiting, ..Default::default() };
        // Without a writer, and with one that writes nothing.
        for has_writer in [false, true] {
            let begun = Instant::now();
            let reader = read(&path, options.clone());
            let writer = has_writer.then(|| File::options().write(true).open(&path));
            let ended = reader.recv_timeout(SOON).expect("ended");
            assert_eq!(ended.err().map(|error| error.code), Some(Code::IoError));
            assert!(begun.elapsed() > Duration::from_millis(200));
            drop(writer);
        }
    }
}
