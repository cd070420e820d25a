//! Converts operands, address lists and batches to requests, in order.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde_json::Value;
use std::sync::Arc;

use super::batch::{BatchLine, BatchPart, in_fields};
use super::{ReadOptions, Request, Selection};
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Conditions, Selector};
use crate::commands::host::Host;
use crate::commands::input::whole_input;
use crate::commands::json::{self, DistinctFields};
use crate::commands::output::{Note, Sink};
use crate::commands::resolve;
use crate::commands::stray_operands::ReadOperands;
use crate::commands::target::flags::Scoped;
use crate::commands::target::spell;
use folio_files::address::{Address, Part};
use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::listing::{EntryKind, WalkOptions};
use folio_files::options::{ADDRESSES_FROM, BATCH, LINES};
use folio_files::roots::Roots;

/// The requested parts. For an invalid request, the error.
pub(super) struct Requests {
    pub(super) requests: Vec<Result<Request, Error>>,
    /// For each request, the number of its operand or line. `None` if there is one request for each
    /// of them.
    pub(super) numbers: Option<Vec<usize>>,
}

pub(super) fn all_requests(
    options: &ReadOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Requests, Error> {
    let mut found = match &options.batch {
        Some(file) => batch(file, options, host, sink)?,
        None => Requests { requests: requests(options, host, sink)?, numbers: None },
    };
    if options.lookup.missing.resolve {
        resolve_all(&mut found.requests, &host.env, sink);
    }
    Ok(found)
}

/// Replaces each path that does not exist with the path of the only file with this name.
fn resolve_all(requests: &mut [Result<Request, Error>], env: &Env, sink: &mut dyn Sink) {
    let mut known: HashMap<PathBuf, Result<PathBuf, Error>> = HashMap::new();
    for request in requests {
        let Ok(Request { address, .. }) = request else { continue };
        let resolved = known.entry(address.path.clone()).or_insert_with(|| {
            let mut path = address.path.clone();
            resolve::entry(&mut path, EntryKind::File, env, sink).map(|()| path)
        });
        match resolved {
            Ok(path) => address.path.clone_from(path),
            Err(error) => *request = Err(error.clone()),
        }
    }
}

/// Returns the parts that the lines of `--batch` request.
fn batch(
    file: &OsStr,
    options: &ReadOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Requests, Error> {
    let text = whole_input(file, host)?;
    let text = String::from_utf8(text)
        .map_err(|_| Error::usage(format!("{BATCH}: the text is not UTF-8")))?;
    let files = Files { roots: &host.env.roots, known: RefCell::default() };
    let lines = files.batch(&text, options, host, sink)?;
    if lines.is_empty() {
        let like = r#"a line looks like {"filePath":"guide.md","target":{"section":"Install"}}"#;
        return Err(Error::usage(format!("{BATCH}: there is no request")).hint(like));
    }
    let numbers = lines
        .iter()
        .enumerate()
        .flat_map(|(number, requests)| requests.iter().map(move |_| number));
    let numbers = Some(numbers.collect());
    Ok(Requests { requests: lines.into_iter().flatten().collect(), numbers })
}

/// Returns the parts that operands, conditions and address lists request.
fn requests(
    options: &ReadOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Vec<Result<Request, Error>>, Error> {
    let env = &host.env;
    let files = Files { roots: &env.roots, known: RefCell::default() };
    let selections = &options.selections;
    let of_address = |address: Result<Address, Error>| -> Vec<Result<Request, Error>> {
        let request =
            |selection: &Scoped<Selection>| Request::new(address.clone()?, selection.clone());
        // An invalid address is reported only once, even if several parts are requested.
        let most = if address.is_ok() { selections.len() } else { 1 };
        selections[..most].iter().map(request).collect()
    };
    if options.conditions.is_given() {
        refuse_strays(options, host)?;
        let selected = selected(options, &options.conditions, &options.addresses, host, sink)?;
        return Ok(selected
            .into_iter()
            .flat_map(|(address, target)| match target {
                Some(target) if options.without_fences => {
                    let selection = Selection::Part { target, from: None };
                    vec![Request::new(Address::whole(address.path), (selection, None))]
                }
                _ => of_address(Ok(address)),
            })
            .collect());
    }
    if let Some(file) = &options.addresses_from {
        let text = whole_input(file, host)?;
        let addresses = if options.null {
            files.addresses_by_nul(&text, sink)
        } else {
            files.addresses_by_line(&text, sink)
        };
        if addresses.is_empty() {
            return Err(Error::usage(format!(
                "{ADDRESSES_FROM}: no line begins with the address of a file"
            ))
            .hint("a line looks like 'docs/guide.md:15-51:## Install', as inspect prints it")
            .hint("rg -Hn, grep -Hn  # without -H, they omit the name of a single file"));
        }
        // Options that cannot be used with addresses of lines are reported once.
        let with_lines = addresses.iter().find(|address| address.part != Part::Whole);
        if let Some(address) = with_lines {
            for selection in selections {
                Request::new(address.clone(), selection.clone())?;
            }
        }
        return Ok(addresses.into_iter().map(Ok).flat_map(of_address).collect());
    }
    refuse_strays(options, host)?;
    let operands = options.addresses.iter();
    Ok(operands.flat_map(|operand| of_address(files.address(operand))).collect())
}

/// Fails if an operand seems to be a part or a name instead of a file. With `--resolve`, operands
/// need not exist.
fn refuse_strays(options: &ReadOptions, host: &Host) -> Result<(), Error> {
    if options.lookup.missing.resolve {
        return Ok(());
    }
    let (selection, scope) = &options.selections[0];
    let part = match selection {
        Selection::Part { target, .. } => spell::options(Some(target), scope.as_deref()),
        Selection::Address => Vec::new(),
        // Such a selection is of lines, and has no name.
        _ => vec![(LINES, None)],
    };
    let operands = ReadOperands {
        operands: &options.addresses,
        part: &part,
        is_read: true,
        documents: &options.documents,
    };
    operands.refuse_stray(host)
}

/// Returns the parts that meet the conditions, by their lines and as targets.
///
/// # Errors
///
/// Fails if there are none.
fn selected(
    options: &ReadOptions,
    conditions: &Conditions,
    operands: &[OsString],
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Vec<(Address, Option<Part>)>, Error> {
    let selector = Selector::new(conditions, options.documents.entries.clone())?;
    let walk = options.walk();
    let scan = scan(&selector, options, &walk, host);
    let files = scan.all(operands, sink, |path, parts| {
        let addresses = parts.map(|part| {
            let address = match part.lines {
                Some(lines) => {
                    let part = Part::Lines(vec![lines]);
                    Address { path: path.to_owned(), part, ..Address::default() }
                }
                None => Address::whole(path),
            };
            (address, part.target)
        });
        addresses.collect::<Vec<_>>()
    })?;
    Ok(files.into_iter().flatten().collect())
}

fn scan<'a>(
    selector: &'a Selector,
    options: &'a ReadOptions,
    walk: &'a WalkOptions,
    host: &'a Host,
) -> Scan<'a> {
    let resolve = options.lookup.missing.resolve;
    Scan { selector, documents: &options.documents, walk, resolve, host }
}

/// Returns the offset at which to begin to read a sorted log, so that the text before the selected
/// entries is not read. Line numbers are then unknown.
pub(super) fn start_offset(options: &ReadOptions, host: &Host) -> Result<Option<u64>, Error> {
    let [path] = &options.addresses[..] else { return Ok(None) };
    let selector = Selector::new(&options.conditions, options.documents.entries.clone())?;
    let walk = options.walk();
    Ok(scan(&selector, options, &walk, host).start_offset(Path::new(path)))
}

/// The files to which addresses may refer. Caches whether each file exists.
struct Files<'a> {
    roots: &'a Roots,
    known: RefCell<HashMap<PathBuf, bool>>,
}

impl Files<'_> {
    fn exists(&self, path: &Path) -> bool {
        if let Some(&known) = self.known.borrow().get(path) {
            return known;
        }
        let exists = self.roots.exists(path);
        self.known.borrow_mut().insert(path.to_owned(), exists);
        exists
    }

    fn address(&self, operand: &OsStr) -> Result<Address, Error> {
        Address::parse_to_read(operand, |path: &Path| self.exists(path))
    }

    /// Returns the requests of each line of a batch, or of each item of its array.
    fn batch(
        &self,
        text: &str,
        options: &ReadOptions,
        host: &Host,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Vec<Result<Request, Error>>>, Error> {
        let mut of_batch = |value: Value, place: &str| {
            let fields = Arc::new(value.as_object().cloned().unwrap_or_default());
            let parsed = BatchLine::parsed(value, &options.patterns);
            match parsed.and_then(|line| self.line_requests(line, options, host, sink)) {
                Ok(requests) => {
                    let with_line =
                        |request| Request { batch_line: Some(Arc::clone(&fields)), ..request };
                    requests.into_iter().map(with_line).map(Ok).collect()
                }
                Err(error) => vec![Err(in_fields(error, &fields).after(format!("{place}: ")))],
            }
        };
        if text.trim_start().starts_with('[') {
            let items: Vec<DistinctFields> = serde_json::from_str(text)
                .map_err(|error| json::misread(&BATCH.to_string(), &error))?;
            let request =
                |(index, DistinctFields(item))| of_batch(item, &format!("{BATCH}, index {index}"));
            return Ok(items.into_iter().enumerate().map(request).collect());
        }
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let request = |(line, number): (&str, usize)| {
            let place = format!("{BATCH}, line {number}");
            match serde_json::from_str(line) {
                Ok(DistinctFields(value)) => of_batch(value, &place),
                Err(error) => vec![Err(json::misread(&place, &error))],
            }
        };
        Ok(lines.map(request).collect())
    }

    fn line_requests(
        &self,
        line: BatchLine,
        options: &ReadOptions,
        host: &Host,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Request>, Error> {
        let selections = match line.part {
            BatchPart::Selections(selections) => selections,
            BatchPart::Conditions(conditions) => {
                let selected = selected(options, &conditions, &[line.file.into()], host, sink)?;
                let request = |(address, _)| Request::new(address, (Selection::Address, None));
                return selected.into_iter().map(request).collect();
            }
        };
        let address = if line.is_address {
            self.address(OsStr::new(&line.file))?
        } else {
            Address::whole(line.file)
        };
        selections.into_iter().map(|selection| Request::new(address.clone(), selection)).collect()
    }

    /// Returns the addresses in every other NUL-terminated field.
    fn addresses_by_nul(&self, text: &[u8], sink: &mut dyn Sink) -> Vec<Address> {
        let mut found = Vec::new();
        let mut parts = text.split(|&byte| byte == 0);
        while let Some(address) = parts.next() {
            let line = address.strip_prefix(b"\n").unwrap_or(address);
            if parts.next().is_none() && line.is_empty() {
                break;
            }
            match self.address(OsStr::from_bytes(line)) {
                Ok(address) => found.push(address),
                Err(error) => sink.error(&error),
            }
        }
        found
    }

    /// Returns the addresses at the beginning of lines.
    fn addresses_by_line(&self, text: &[u8], sink: &mut dyn Sink) -> Vec<Address> {
        let lines = text.split(|&byte| byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let mut strays: Vec<&[u8]> = Vec::new();
        let mut found = Vec::new();
        for line in lines.filter(|line| !line.is_empty() && *line != b"--") {
            if let Some(addresses) = record_addresses(line) {
                for address in addresses {
                    match self.address(&address) {
                        Ok(address) => found.push(address),
                        Err(error) => sink.error(&error),
                    }
                }
                continue;
            }
            // A line that consists only of a path refers to the file.
            let whole_file = || {
                let path = Path::new(OsStr::from_bytes(line));
                self.exists(path).then(|| Address::whole(path))
            };
            match Address::find_in_line(line, |path| self.exists(path)).or_else(whole_file) {
                Some(address) => found.push(address),
                None => strays.push(line),
            }
        }
        if let Some(first) = strays.first() {
            let first = String::from_utf8_lossy(first);
            sink.note(Note::new(match strays.len() {
                1 => format!("1 line does not begin with the address of a file: '{first}'"),
                count => {
                    format!("{count} lines do not begin with the address of a file; the first is '{first}'")
                }
            }));
        }
        found
    }
}

/// Returns the addresses in a JSON record, or `None` if the line is not a record.
fn record_addresses(line: &[u8]) -> Option<Vec<OsString>> {
    let is_object = line.first() == Some(&b'{');
    let record = is_object.then(|| serde_json::from_slice(line).ok()).flatten()?;
    let mut addresses = Vec::new();
    push_addresses(&record, &mut addresses);
    Some(addresses)
}

/// Collects the address of a value. If the value has no address, collects the addresses in it. An
/// object's address includes those of its children.
fn push_addresses(value: &Value, addresses: &mut Vec<OsString>) {
    match value {
        Value::Object(fields) => match fields.get("address").and_then(json::text_bytes) {
            Some(address) => addresses.push(OsString::from_vec(address)),
            None => fields.values().for_each(|value| push_addresses(value, addresses)),
        },
        Value::Array(items) => items.iter().for_each(|item| push_addresses(item, addresses)),
        _ => {}
    }
}
