//! Runs the actions of `collection`.

use std::path::Path;

use super::args::{ActionArg, CollectionArgs};
use super::report::{CollectionRecord, Counts, DocumentsPage, DocumentsRecord};
use crate::commands::host::Host;
use crate::commands::output::{Closed, Collected, Note, Outcome, Sink, showing};
use crate::commands::retrieval;
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, ExitStatus, Hint};
use folio_files::options::OFFSET;
use folio_search::catalogue::{Catalogue, Collection, check_name};
use folio_search::manifest::Manifest;
use folio_search::open::{Freshness, Opened, SearchScope};
#[cfg(feature = "postgres")]
use folio_search::publish;
use folio_search::query::glob;
use folio_search::shard::Which;

/// Default number of documents on a page of `show`.
const PAGE: u64 = 100;

/// Runs `collection`.
pub fn run(args: &CollectionArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let operands = args.operands()?;
    let [first, second] = [0, 1].map(|at| operands.get(at).map_or("", String::as_str));
    match args.action {
        ActionArg::List => list(host, sink),
        ActionArg::Show => {
            let (limit, offset) = (args.limit.unwrap_or(PAGE), args.offset.unwrap_or(0));
            show(first, limit, offset, host, sink)
        }
        ActionArg::Update => update(operands.first().map(String::as_str), host, sink),
        ActionArg::Remove => remove(first, host, sink),
        ActionArg::Alias => add_alias(first, second, host, sink),
        ActionArg::Add => add(&new_collection(args, first, &host.env)?, host, sink),
    }
}

fn counts(opened: &Opened) -> Result<Counts, Error> {
    let holds = opened.holds().map_err(|failure| opened.failure(failure))?;
    Ok(Counts {
        document_count: holds.documents,
        section_count: holds.sections,
        binary_count: holds.binary,
        changed: opened.updated.changed,
        removed: opened.updated.removed,
    })
}

/// Opens a collection without updating its index.
fn open_unchanged(place: &SearchScope, host: &Host) -> Result<Opened, Error> {
    let Host { env, storage, .. } = host;
    place.clone().open(Freshness::AsItIs, env.lock_timeout, storage, env, &mut |_, _| {})
}

fn list(host: &Host, sink: &mut dyn Sink) -> Outcome {
    for_each_collection(host, sink, &mut |sink, record| sink.record(record))?;
    Ok(ExitStatus::Done)
}

/// Calls `take` with each named collection.
///
/// # Errors
///
/// Fails if the catalogue cannot be read.
pub fn for_each_collection(
    host: &Host,
    sink: &mut dyn Sink,
    take: &mut dyn FnMut(&mut dyn Sink, &CollectionRecord<'_>) -> Result<(), Closed>,
) -> Result<(), Error> {
    let catalogue = Catalogue::load(&host.storage, &host.env)?;
    if catalogue.collections().is_empty() {
        let hint = Hint::command("collection", ["add", "NAME", "DIR"]);
        sink.note(Note::new("no collections").hint(hint.why("to give a directory a name")));
    }
    for collection in catalogue.collections() {
        let place = SearchScope::of(collection, None);
        let manifest = if place.directory.as_os_str().is_empty() {
            Manifest::default()
        } else {
            Manifest::load(&place.directory, &host.env).unwrap_or_default()
        };
        let settings = place.catalogue_settings.with_defaults(&manifest.settings);
        let counts = open_unchanged(&place, host).and_then(|opened| counts(&opened));
        if let Err(error) = &counts {
            sink.error(error);
        }
        let record = CollectionRecord::new(&place, &collection.aliases);
        if take(sink, &record.described(&settings, counts.ok())).is_err() {
            break;
        }
    }
    Ok(())
}

/// Returns the collection or directory called `name`.
fn place(name: &str, action: &str, host: &Host) -> Result<SearchScope, Error> {
    let retry = |name: &str| Hint::command("collection", [action, name]);
    retrieval::place(name, &Catalogue::load(&host.storage, &host.env)?, &retry, &host.env)
}

/// Returns a page of the documents of a collection, for callers in this process.
///
/// # Errors
///
/// Fails if the collection cannot be opened.
pub fn page(name: &str, limit: u64, offset: u64, host: &Host) -> Result<DocumentsPage, Error> {
    let mut sink = Collected::json();
    let opened = retrieval::open(vec![place(name, "show", host)?], true, host, &mut sink)?;
    sink.check()?;
    let Some(collection) = opened.first() else {
        return Err(Error::usage("the collection is empty"));
    };
    page_of(collection, limit, offset)
}

fn page_of(opened: &Opened, limit: u64, offset: u64) -> Result<DocumentsPage, Error> {
    let page = opened.shard(false).and_then(|shard| shard.documents(Which::Page(limit, offset)));
    let documents = page.map_err(|failure| opened.failure(failure))?;
    let (collection, id) = (opened.place.shown.clone(), opened.place.id.clone());
    Ok(DocumentsPage { collection, id, documents, total: counts(opened)?.document_count })
}

fn show(name: &str, limit: u64, offset: u64, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let place = place(name, "show", host)?;
    let opened = retrieval::open(vec![place], true, host, sink)?;
    let Some(collection) = opened.first() else { return Ok(ExitStatus::Trouble) };
    let DocumentsPage { documents: page, total, .. } = page_of(collection, limit, offset)?;
    let shown = offset + page.len() as u64;
    let more = Hint::with_value(OFFSET, shown.to_string()).why("for more");
    let next = (shown < total).then(|| sink.completed(more.clone()));
    let record = DocumentsRecord::new(&collection.place, &page, total, next.as_ref());
    if sink.record(&record).is_err() || sink.style().json {
        return Ok(ExitStatus::Done);
    }
    if shown < total {
        sink.note(Note::new(showing(offset + 1, shown, total, "document")).hint(more));
    } else if page.is_empty() && total > 0 {
        let message = format!("{OFFSET} {offset} is beyond the last of {total} documents");
        let first = Hint::again([Change::remove(OFFSET)]);
        sink.note(Note::new(message).hint(first.why("from the first")));
    } else if total == 0 {
        sink.note(Note::at(&collection.place.directory, "it contains no documents"));
    }
    Ok(ExitStatus::Done)
}

fn update(name: Option<&str>, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let catalogue = Catalogue::load(&host.storage, &host.env)?;
    let places = match name {
        Some(name) => vec![place(name, "update", host)?],
        None => catalogue
            .collections()
            .iter()
            .map(|collection| SearchScope::of(collection, None))
            .collect(),
    };
    for place in places {
        if place.store.is_some() && place.directory.as_os_str().is_empty() {
            let message = format!("'{}' is updated on the machine with its files", place.shown);
            match name {
                Some(_) => return Err(Error::usage(message)),
                None => sink.note(Note::new(message)),
            }
            continue;
        }
        let aliases = catalogue
            .find(&place.id)
            .map(|collection| collection.aliases.clone())
            .unwrap_or_default();
        if let Err(error) = index(&place, &aliases, "updated", host, sink) {
            sink.error(&error);
        }
    }
    Ok(ExitStatus::Done)
}

/// Updates an index and reports its contents.
fn index(
    place: &SearchScope,
    aliases: &[String],
    status: &'static str,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let Host { env, storage, .. } = host;
    let mut progress = sink.progress(&format!("indexing {}", place.shown));
    // The documents of a collection in a database are first indexed locally.
    let (fresh, patience) = (Freshness::Required, env.lock_timeout);
    let opened = place.on_disk().open(fresh, patience, storage, env, &mut |done, total| {
        progress(done, total);
    });
    drop(progress);
    let opened = opened?;
    retrieval::print_notes(&opened, sink);
    publish(place, &opened, host)?;
    let counts = counts(&opened)?;
    let record = CollectionRecord::new(place, aliases).with_status(status);
    // The update has succeeded even if the output is closed.
    let _ = sink.record(&record.described(&opened.settings, Some(counts)));
    if counts.document_count == 0 {
        let note = Note::at(&place.directory, "it contains no documents yet");
        let hint = Hint::command("list", ["--depth", "20"]).and([&place.directory]);
        sink.note(note.hint(hint.why("list what exists")));
    }
    Ok(())
}

/// Uploads an index to the collection's database, if it has one.
#[cfg(feature = "postgres")]
fn publish(place: &SearchScope, opened: &Opened, host: &Host) -> Result<(), Error> {
    let Some(address) = &place.store else { return Ok(()) };
    publish::publish(opened, address, &host.storage, &host.env)
        .map_err(|failure| failure.error(Path::new(address)))
}

/// Removes the collection from its database, if this machine uploaded it.
#[cfg(feature = "postgres")]
fn withdraw(place: &SearchScope, host: &Host) -> Result<(), Error> {
    let Some(address) = place.store.as_ref().filter(|_| !place.directory.as_os_str().is_empty())
    else {
        return Ok(());
    };
    publish::withdraw(&place.id, address, &host.storage, &host.env.cancel)
        .map_err(|failure| failure.error(Path::new(address)))
}

#[cfg(not(feature = "postgres"))]
fn withdraw(_: &SearchScope, _: &Host) -> Result<(), Error> {
    Ok(())
}

#[cfg(not(feature = "postgres"))]
fn publish(_: &SearchScope, _: &Opened, _: &Host) -> Result<(), Error> {
    Ok(())
}

/// Returns the collection to remove. An unnamed directory must have an index, but may no longer
/// exist.
fn removable(name: &str, host: &Host) -> Result<SearchScope, Error> {
    let Host { env, storage, .. } = host;
    let bare = name.trim_start_matches('@').trim_end_matches('/');
    if let Some(collection) =
        Catalogue::load(storage, env)?.find(bare).filter(|collection| collection.name != bare)
    {
        let message = format!("'{bare}' is an alias of the collection '{}'", collection.name);
        let whole = Hint::command("collection", ["remove", &collection.name]);
        return Err(Error::usage(message).hint(whole.why("to remove the collection")));
    }
    let place = match place(name, "remove", host) {
        Err(error) if matches!(error.code, Code::NotFound | Code::NotADirectory) => {
            SearchScope::of_gone_directory(Path::new(name), storage, env)?.ok_or(error)?
        }
        place => place?,
    };
    if !place.is_named && !place.has_index(storage, env)? {
        let error = Error::new(Code::NotFound, "this directory has no index");
        return Err(error.at(Path::new(name)));
    }
    Ok(place)
}

fn remove(name: &str, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let Host { env, storage, .. } = host;
    let place = removable(name, host)?;
    let mut aliases = Vec::new();
    if place.is_named {
        Catalogue::change(storage, env, |catalogue| {
            aliases = catalogue
                .find(&place.id)
                .map(|collection| collection.aliases.clone())
                .unwrap_or_default();
            catalogue.remove(&place.id);
            Ok(())
        })?;
    }
    let withdrawn = withdraw(&place, host);
    place.remove_index(storage, env)?;
    let _ = sink.record(&CollectionRecord::new(&place, &aliases).with_status("removed"));
    withdrawn
        .map(|()| ExitStatus::Done)
        .map_err(|error| error.after("it is still in the database: "))
}

fn add_alias(name: &str, alias: &str, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let Host { env, storage, .. } = host;
    let retry = |name: &str| Hint::command("collection", ["alias", name, alias]);
    Catalogue::load(storage, env)?.get(name, &retry)?;
    Catalogue::change(storage, env, |catalogue| catalogue.add_alias(name, alias))?;
    let catalogue = Catalogue::load(storage, env)?;
    let collection = catalogue.get(alias, &retry)?;
    let place = SearchScope::of(collection, None);
    let _ = sink.record(&CollectionRecord::new(&place, &collection.aliases).with_status("aliased"));
    Ok(ExitStatus::Done)
}

/// Returns the collection to add, with settings from the command line and from the `folio.toml` in
/// the directory.
fn new_collection(args: &CollectionArgs, first: &str, env: &Env) -> Result<Collection, Error> {
    #[cfg(feature = "postgres")]
    args.store().map(folio_search::server::config).transpose()?;
    let store = args.store().map(str::to_owned);
    let settings = args.settings()?;
    settings.include.iter().chain(&settings.exclude).try_for_each(|text| glob(text).map(drop))?;
    let (name, directory) = match &args.operands[..] {
        [_] if store.is_some() => {
            let (name, aliases) = (first.to_owned(), args.alias.clone());
            return Ok(Collection { name, aliases, store, settings, ..Collection::default() });
        }
        [directory] => (None, Path::new(directory)),
        [_, directory, ..] => (Some(first), Path::new(directory)),
        [] => (None, Path::new("")),
    };
    if directory.as_os_str().is_empty() {
        return Err(Error::usage("the directory is empty"));
    }
    let retry = |path: &Path| Hint::command("collection", ["add"]).and(name).and([path]);
    let place = SearchScope::of_directory(directory, env)
        .map_err(|error| retrieval::no_directory(&retry, error, directory, env))?;
    let manifest = Manifest::load(&place.directory, env)?;
    let Some(name) = name.map(str::to_owned).or(manifest.name) else {
        let directory_name = place.directory.file_name().and_then(|name| name.to_str());
        let directory_name =
            directory_name.filter(|name| check_name(name).is_ok()).unwrap_or("NAME");
        let hint = Hint::command("collection", ["add", directory_name]).and([directory]);
        return Err(Error::usage("a name is missing").hint(hint.why("with a name")));
    };
    let aliases = if args.alias.is_empty() { manifest.aliases } else { args.alias.clone() };
    Ok(Collection { name, aliases, directory: place.directory, store, settings })
}

fn add(new: &Collection, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let Host { env, storage, .. } = host;
    let place = SearchScope::of(new, None);
    let is_elsewhere = new.directory.as_os_str().is_empty();
    // If the database cannot be opened, the collection is not added.
    let opened = is_elsewhere.then(|| open_unchanged(&place, host)).transpose()?;
    let overlapping = Catalogue::change(storage, env, |catalogue| {
        let overlaps = |other: &&Collection| {
            let (directory, other) = (&new.directory, &other.directory);
            !other.as_os_str().is_empty()
                && (directory.starts_with(other) || other.starts_with(directory))
        };
        let mut others = catalogue.collections().iter();
        let overlapping = others.find(|other| !is_elsewhere && overlaps(other)).cloned();
        catalogue.add(new.clone())?;
        Ok(overlapping)
    })?;
    match opened {
        Some(opened) => {
            let record = CollectionRecord::new(&place, &new.aliases).with_status("added");
            let _ =
                sink.record(&record.described(&place.catalogue_settings, Some(counts(&opened)?)));
        }
        // If uploading to the database fails, the collection is not added.
        None => index(&place, &new.aliases, "added", host, sink).inspect_err(|_| {
            if new.store.is_some() {
                let _ = Catalogue::change(storage, env, |catalogue| {
                    catalogue.remove(&new.name);
                    Ok(())
                });
            }
        })?,
    }
    if let Some(other) = overlapping {
        let how = match () {
            () if other.directory == new.directory => "is also",
            () if new.directory.starts_with(&other.directory) => "is inside",
            () => "contains",
        };
        let message = format!(
            "its directory {how} the collection '{}': a search of both finds documents twice",
            other.name
        );
        sink.note(Note::at(&new.directory, message));
    }
    Ok(ExitStatus::Done)
}
