//! Reads several parts; those of one file are read together in one pass.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::content::Found;
use super::locate::Reader;
use super::place::Place;
use super::reading::{Settings, Wanted};
use super::rest;
use super::stream::{self, Gathered};
use super::{Options, Piece, Request, Selection};
use crate::commands::output::Note;
use crate::commands::{misses, resolve};
use crate::error::{Code, Error, Hint};
use crate::files::address::Part;
use crate::files::document::Document;
use crate::files::env::Env;
use crate::text::span::LineRange;

/// Maximum number of lines to keep in memory because lines before them in the file were
/// requested later.
const MAX_LINES: u64 = 65_536;

/// Assumed number of lines of a section around a line.
const SECTION_LINES: u64 = 64;

/// A part that was read, with its place.
pub struct ReadPart {
    pub path: PathBuf,
    pub(super) note: Option<Note>,
    pub piece: Piece,
    pub content: Vec<u8>,
    /// Its place, if requested.
    pub(super) place: Option<Place>,
}

/// The result of a request; `None` if another request returned the same part.
pub(super) type Answer = Result<Option<ReadPart>, Error>;

/// Opens documents for requests.
pub(super) struct Opener<'a> {
    pub(super) options: &'a Options,
    pub(super) env: &'a Env,
    pub(super) settings: Settings,
    /// Whether several parts are read.
    pub(super) several: bool,
    /// Whether the places of parts are determined.
    pub(super) tells_places: bool,
    /// The last document read, by the path given.
    pub(super) last: Option<(PathBuf, Reader<'a>, Option<Note>)>,
}

impl<'a> Opener<'a> {
    /// The number of the first requests that are read together.
    pub(super) fn window(requests: &[Result<Request, Error>]) -> usize {
        let mut lines = 0u64;
        for (index, request) in requests.iter().enumerate() {
            let wanted = match request {
                Err(_) => 0,
                Ok(Request { selection: Selection::SectionAround(_), .. }) => SECTION_LINES,
                Ok(Request { selection: Selection::Address, address, .. }) => match &address.part {
                    Part::Lines(ranges) => {
                        ranges.iter().fold(0, |sum: u64, range| sum.saturating_add(range.count()))
                    }
                    _ => u64::MAX,
                },
                Ok(_) => u64::MAX,
            };
            lines = lines.saturating_add(wanted);
            if lines > MAX_LINES {
                return index.max(1);
            }
        }
        requests.len()
    }

    /// Reads the parts of requests; the answers are in the same order.
    pub(super) fn read(&mut self, requests: &[Result<Request, Error>]) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = Vec::new();
        let mut files: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (index, request) in requests.iter().enumerate() {
            answers.push(request.as_ref().err().cloned().map(Err));
            if let Ok(request) = request {
                files.entry(&request.address.path).or_default().push(index);
            }
        }
        for (path, indexes) in files {
            let wanted = indexes.iter().filter_map(|&index| requests[index].as_ref().ok());
            let wanted: Vec<&Request> = wanted.collect();
            let read = match self.open(path) {
                Ok(()) => self.of_file(&wanted),
                Err(error) => wanted.iter().map(|_| Err(error.clone())).collect(),
            };
            for (index, answer) in indexes.into_iter().zip(read) {
                answers[index] = Some(answer);
            }
        }
        answers.into_iter().flatten().collect()
    }

    /// Reads parts of the last opened document. Parts from an address list are not read twice.
    fn of_file(&mut self, requests: &[&Request]) -> Vec<Answer> {
        let Some((_, reader, note)) = &mut self.last else { return Vec::new() };
        let is_list = self.options.addresses_from.is_some();
        let mut seen: HashSet<Vec<LineRange>> = HashSet::new();
        let mut is_new = |found: &Found<'_>| match found {
            Found::Lines(wanted) if is_list && wanted.is_plain() => {
                seen.insert(wanted.ranges.clone())
            }
            _ => true,
        };
        let mut find = |request| Ok(Some(reader.find(request)?).filter(&mut is_new));
        let found: Vec<Result<Option<Found<'_>>, Error>> =
            requests.iter().map(|request| find(request)).collect();
        let mut together = Vec::new();
        for found in &found {
            if let Ok(Some(Found::Lines(wanted))) = found
                && wanted.is_plain()
            {
                together.push(wanted.clone());
            }
        }
        let read = together_of(reader, &together);
        let mut read = match read {
            Ok(read) => read.into_iter(),
            Err(error) => return requests.iter().map(|_| Err(error.clone())).collect(),
        };
        let mut part = |request: &Request, found: Result<Option<Found<'_>>, Error>| {
            let Some(found) = found? else { return Ok(None) };
            let (piece, content): Gathered = match &found {
                Found::Lines(wanted) if wanted.is_plain() => {
                    let (piece, content) =
                        read.next().unwrap_or_else(|| Ok(Gathered::default()))?;
                    let path = reader.document.path();
                    (rest::with_rest(piece, request, &found, true, path), content)
                }
                found => {
                    let mut content = Vec::new();
                    reader.document.rewind()?;
                    let piece = reader.read(request, found, &mut |bytes| {
                        content.extend_from_slice(bytes);
                        Ok(())
                    })?;
                    (piece, content)
                }
            };
            let path = reader.document.path().to_owned();
            Ok(Some(ReadPart { path, note: note.take(), piece, content, place: None }))
        };
        let mut answers: Vec<Answer> =
            requests.iter().zip(found).map(|(request, found)| part(request, found)).collect();
        if self.tells_places
            && let Err(error) = add_places(reader, requests, &mut answers)
        {
            return requests.iter().map(|_| Err(error.clone())).collect();
        }
        answers
    }

    /// Opens a document, unless it is already the last one.
    pub(super) fn open(&mut self, path: &Path) -> Result<(), Error> {
        if let Some((_, reader, _)) = self.last.as_mut().filter(|(last, ..)| last == path) {
            reader.settings = self.settings;
            return Ok(());
        }
        let (document, note) = self.document(path)?;
        let reader = Reader::new(document, self.options, self.settings, self.keeps())?;
        self.last = Some((path.to_owned(), reader, note));
        Ok(())
    }

    /// Whether a document is read several times.
    fn keeps(&self) -> bool {
        self.several || self.tells_places
    }

    fn document(&self, path: &Path) -> Result<(Document, Option<Note>), Error> {
        let (options, env) = (&self.options.documents, self.env);
        if path.as_os_str() == "-" {
            let stream = env.open_stdin()?;
            return Ok((Document::stream(path, stream, options, &env.cancel)?, None));
        }
        match Document::open(path, options, env) {
            Ok(document) => Ok((document, None)),
            Err(error) if error.code == Code::NotFound && self.options.resolve.resolve => {
                let found = resolve::by_name(path, "read", env, error)?;
                Ok((Document::open(&found, options, env)?, Some(resolve::note(path, &found))))
            }
            Err(error) if error.code == Code::NotAFile => {
                Err(error.hint(Hint::command("list", [path]).why("the files in it")))
            }
            Err(error) => Err(misses::missing_file(error, path, "read", env)),
        }
    }
}

/// Reads lines of a document in one pass.
fn together_of(
    reader: &mut Reader<'_>,
    wanted: &[Wanted<'_>],
) -> Result<Vec<Result<Gathered, Error>>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    reader.document.rewind()?;
    stream::many(&mut reader.document, wanted, reader.settings)
}

/// Adds the places of parts. A whole file has no place, unless only places were requested.
fn add_places(
    reader: &mut Reader<'_>,
    requests: &[&Request],
    answers: &mut [Answer],
) -> Result<(), Error> {
    let is_asked = reader.options.has_breadcrumbs();
    let mut parts = Vec::new();
    for (request, answer) in requests.iter().zip(answers) {
        let is_whole = matches!(
            (&request.selection, &request.address.part),
            (Selection::Address, Part::Whole)
        );
        if let Ok(Some(part)) = answer
            && (is_asked || !is_whole)
            && let Some(range) = part.piece.ranges.first()
        {
            parts.push((range.start(), &mut part.place));
        }
    }
    let lines: Vec<u64> = parts.iter().map(|(line, _)| *line).collect();
    for (place, (_, own)) in reader.places(&lines)?.into_iter().zip(parts) {
        *own = Some(place);
    }
    Ok(())
}
