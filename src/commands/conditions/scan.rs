//! From operands to the parts that are selected in their files: by all processors, passed on
//! in order.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::candidates::Part;
use super::miss::miss;
use super::selector::{Selected, Selector, Tally};
use crate::commands::job::{Operands, Work};
use crate::commands::output::{Sink, Stop};
use crate::commands::{misses, parallel};
use crate::error::{Code, Error};
use crate::files::address::{self, Address};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::listing::WalkOptions;
use crate::text::format::Format;

/// A file in which parts were selected.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// They, in order; at least one.
    pub parts: Vec<Part>,
}

/// Selects parts in files.
pub struct Scan<'a> {
    /// By these conditions.
    pub selector: &'a Selector,
    /// How documents are taken.
    pub documents: &'a DocumentOptions,
    /// Which files below directories.
    pub walk: &'a WalkOptions,
    /// The command that asks, for hints.
    pub command: &'static str,
    /// Whether a file that does not exist is looked for by its name.
    pub resolve: bool,
    /// What is around.
    pub env: &'a Env,
}

/// What a file came to: nothing where it was passed over.
type Answer<T> = Result<(Tally, Option<T>), Error>;

impl Scan<'_> {
    /// Selects parts in the files that operands stand for, has each file with some of them
    /// made into a result, and hands the results to `take` in order; errors go to the sink.
    ///
    /// Fails where `take` does and where the run is cancelled.
    pub fn each<T: Send>(
        &self,
        operands: &[OsString],
        sink: &mut dyn Sink,
        make: impl Fn(File) -> T + Sync,
        mut take: impl FnMut(T, &mut dyn Sink) -> Result<(), Stop>,
    ) -> Result<Tally, Stop> {
        let Self { command, walk, resolve, env, .. } = *self;
        let work = Operands { command, walk, resolve, env }.work(operands, sink)?;
        let mut tally = Tally::default();
        let across = self.selector.conditions().across;
        let mut together = Vec::new();
        // Threads that share patterns wait for each other.
        let state = || (self.selector.clone(), Vec::new());
        let one = |(selector, buffer): &mut (Selector, Vec<u8>),
                   work: &Work,
                   answers: &mut Vec<Answer<(Option<T>, Option<File>)>>| {
            let answer = self.file(work, selector, buffer).map(|(tally, file)| {
                let made = file.map(|file| match across {
                    true => (None, Some(file)),
                    false => (Some(make(file)), None),
                });
                (tally, made)
            });
            answers.push(answer);
        };
        parallel::in_order(&work, self.env, state, one, |answers| {
            for answer in answers {
                match answer {
                    Err(error) if error.code == Code::Cancelled => return Err(Stop::Failed(error)),
                    Err(error) => sink.error(&error),
                    Ok((of_file, made)) => {
                        tally.add(&of_file);
                        let (made, kept) = made.unwrap_or_default();
                        together.extend(kept);
                        made.map_or(Ok(()), |made| take(made, sink))?;
                    }
                }
            }
            Ok(())
        })?;
        if across {
            for file in self.across(together, &mut tally) {
                take(make(file), sink)?;
            }
        }
        Ok(tally)
    }

    /// All files with parts that are selected.
    ///
    /// Fails where nothing is selected, and where the run is cancelled.
    pub fn all(&self, operands: &[OsString], sink: &mut dyn Sink) -> Result<Vec<File>, Error> {
        let mut files = Vec::new();
        let scanned = self.each(
            operands,
            sink,
            |file| file,
            |file, _| {
                files.push(file);
                Ok(())
            },
        );
        match scanned {
            Err(Stop::Failed(error)) => Err(error),
            Ok(tally) if files.is_empty() => Err(self.miss(&tally, operands)),
            Ok(_) | Err(Stop::Closed | Stop::Enough) => Ok(files),
        }
    }

    /// The error where nothing is selected.
    pub fn miss(&self, tally: &Tally, operands: &[OsString]) -> Error {
        miss(self.selector, tally, operands)
    }

    /// What conditions that are counted over all files leave.
    fn across(&self, files: Vec<File>, tally: &mut Tally) -> Vec<File> {
        let mut parts: Vec<(PathBuf, Part)> = Vec::new();
        for File { path, parts: of_file } in files {
            parts.extend(of_file.into_iter().map(|part| (path.clone(), part)));
        }
        self.selector.count(&mut parts, |(_, part)| part, tally);
        let mut files: Vec<File> = Vec::new();
        for (path, part) in parts {
            match files.last_mut().filter(|file| file.path == path) {
                Some(file) => file.parts.push(part),
                None => files.push(File { path, parts: vec![part] }),
            }
        }
        files
    }

    /// Selects parts in one file.
    fn file(&self, work: &Work, selector: &Selector, buffer: &mut Vec<u8>) -> Answer<File> {
        // Of most files it is enough to know that they contain nothing of what is wanted.
        let format = self.documents.format;
        let load = DocumentOptions {
            format: Some(format.unwrap_or(Format::Text)),
            ..self.documents.clone()
        };
        let (opened, within) = match work {
            Work::EndOfTree(..) => return Ok((Tally::default(), None)),
            Work::Failed(error) => return Err(error.clone()),
            Work::Named(address) => (self.open(address, &load), &address.part),
            Work::Walked(path) => {
                let buffer = std::mem::take(buffer);
                (Document::open_walked(path, &load, self.env, buffer), &address::Part::Whole)
            }
        };
        let mut document = match opened {
            // A walk passes over what is not text.
            Err(error) if error.code == Code::BinaryFile && matches!(work, Work::Walked(_)) => {
                return Ok((Tally::default(), None));
            }
            opened => opened?,
        };
        let Selected { parts, tally } = selector.select(&mut document, within, format)?;
        let path = document.path().to_owned();
        *buffer = document.into_buffer();
        Ok((tally, (!parts.is_empty()).then_some(File { path, parts })))
    }

    fn open(&self, address: &Address, load: &DocumentOptions) -> Result<Document, Error> {
        let (path, env) = (&address.path, self.env);
        match address.is_stdin() {
            true => Document::stream(Path::new("-"), env.open_stdin()?, load, &env.cancel),
            false => Document::open(path, load, env)
                .map_err(|error| misses::missing_file(error, path, self.command, env)),
        }
    }
}
