//! Reads pipes. A pipe may provide no data for a long time, so waiting can be reported and
//! cancelled.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::env::{Cancel, Env, WaitNotice};
use super::system::{self, Status};
use crate::error::Error;

/// Time to wait before the conditions are checked again.
const STEP: Duration = Duration::from_millis(20);

/// Time without data after which a wait is reported.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

/// An input that has been opened for reading.
pub enum Input {
    /// A regular file, which never blocks, or a device.
    File(File, Status),
    /// A pipe.
    Pipe(Pipe),
}

impl Input {
    /// Opens any path that a user may give. Follows symlinks. Opening a pipe does not wait for a
    /// writer, but reading does.
    pub fn open(path: &Path, env: &Env) -> Result<Self, Error> {
        let failed = |error: Errno| Error::io(&error.into(), path);
        let file = env.roots.open_file(path)?;
        let status = system::status_of(&file).map_err(failed)?;
        match status.kind {
            FileType::Fifo => return Ok(Self::Pipe(Pipe::new(file, path, env))),
            // The flag has no effect on regular files and devices.
            FileType::RegularFile | FileType::Directory => {}
            _ => system::set_blocking(&file).map_err(failed)?,
        }
        Ok(Self::File(file, status))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.read(buffer),
            Self::Pipe(pipe) => pipe.read(buffer),
        }
    }
}

/// A pipe that was opened without waiting for a writer.
pub struct Pipe {
    file: File,
    path: PathBuf,
    notice: WaitNotice,
    cancel: Cancel,
    /// Whether the pipe has had a writer. A FIFO without a writer immediately reports its end, so
    /// the end counts only after data was available or a writer was seen.
    has_begun: bool,
}

impl Pipe {
    fn new(file: File, path: &Path, env: &Env) -> Self {
        // The writer of an anonymous pipe may already have ended.
        let has_begun = system::is_nameless_pipe(&file);
        let (notice, cancel) = (env.wait_notice.clone(), env.cancel.clone());
        Self { file, path: path.to_owned(), notice, cancel, has_begun }
    }

    /// Whether the pipe is a FIFO, which may never get a writer.
    pub fn is_named(&self) -> bool {
        !system::is_nameless_pipe(&self.file)
    }

    fn wait(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        while !system::wait_to_read(&self.file, STEP)? {
            self.cancel.check().map_err(io::Error::other)?;
            if begun.elapsed() > NOTICE_TIMEOUT
                && let Some(notice) = self.notice.0.take()
            {
                notice(&self.path);
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
    use crate::document::{self, DocumentOptions};
    use crate::error::Code;
    use crate::roots::{Roots, WorkingDirectory};

    fn fifo() -> (TempDir, PathBuf) {
        let sandbox = tempfile::tempdir().expect("a directory");
        let path = sandbox.path().join("pipe.md");
        let made = Command::new("mkfifo").arg(&path).status().expect("run");
        assert!(made.success());
        (sandbox, path)
    }

    /// Starts a thread that reads a pipe, and returns a channel for the result.
    fn read(path: &Path, env: Env) -> mpsc::Receiver<Result<Vec<u8>, Error>> {
        let (sender, receiver) = mpsc::channel();
        let path = path.to_owned();
        thread::spawn(move || {
            let document = document::open(&path, &DocumentOptions::default(), &env);
            let text = document.and_then(|document| Ok(document.bytes()?.to_vec()));
            let _ = sender.send(text);
        });
        receiver
    }

    const SOON: Duration = Duration::from_secs(5);

    #[test]
    fn a_fifo_is_read_when_a_writer_opens_it() {
        let parts: [&[&str]; 4] = [&["one\n"], &["one\n", "two\n"], &["", "one\n"], &[]];
        for parts in parts {
            let (sandbox, path) = fifo();
            let roots = Roots::open(&[sandbox.path().into()], WorkingDirectory::of_process(None))
                .expect("a root");
            for roots in [Roots::default(), roots] {
                let reader = read(&path, Env { roots, ..Env::default() });
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
    fn a_wait_for_a_fifo_is_reported_and_can_be_cancelled() {
        let (_sandbox, path) = fifo();
        // Without a writer, and with a writer that writes nothing.
        for has_writer in [false, true] {
            let (sender, said) = mpsc::channel();
            let wait_notice =
                WaitNotice::new(move |path| sender.send(path.to_owned()).expect("sent"));
            let env = Env { wait_notice, ..Env::default() };
            let reader = read(&path, env.clone());
            let writer = has_writer.then(|| File::options().write(true).open(&path));
            assert_eq!(said.recv_timeout(SOON).expect("said"), path);
            env.cancel.set();
            let ended = reader.recv_timeout(SOON).expect("ended");
            assert_eq!(ended.err().map(|error| error.code), Some(Code::Cancelled));
            drop(writer);
        }
    }
}
