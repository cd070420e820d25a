//! Runs the actions of `collection`.

use std::path::Path;

use super::Action;
use super::report::{CollectionRecord, Counts, Document, DocumentsPage, DocumentsRecord};
use crate::collections::catalogue::{Catalogue, Collection, Settings, check_name};
use crate::collections::manifest::Manifest;
use crate::collections::open::{Freshness, Opened, Place};
#[cfg(feature = "postgres")]
use crate::collections::publish;
use crate::collections::store::Outcome as StoreOutcome;
use crate::commands::output::{Closed, Collected, Note, Outcome, Sink};
use crate::commands::retrieval;
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::env::Env;

/// Runs the command.
pub fn run(action: &Action, env: &Env, sink: &mut dyn Sink) -> Outcome {
    match action {
        Action::Add { directory, store: None, .. } if directory.as_os_str().is_empty() => {
            Err(Error::usage("the directory is empty"))
        }
        Action::List => list(env, sink),
        Action::Show { name, limit, offset } => show(name, *limit, *offset, env, sink),
        Action::Update { name } => update(name.as_deref(), env, sink),
        Action::Remove { name } => remove(name, env, sink),
        Action::Alias { name, alias } => add_alias(name, alias, env, sink),
        Action::Add { name, directory, aliases, settings, store } => {
            check_store(store.as_deref())?;
            let new = match store {
                Some(_) if directory.as_os_str().is_empty() => Collection {
                    name: name.clone().unwrap_or_default(),
                    aliases: aliases.clone(),
                    store: store.clone(),
                    settings: settings.clone(),
                    ..Collection::default()
                },
                _ => {
                    let new = described(name.as_deref(), directory, aliases, settings, env)?;
                    Collection { store: store.clone(), ..new }
                }
            };
            add(&new, env, sink)
        }
    }
}

/// The settings of a collection, from the command line and its `folio.toml`.
fn said(place: &Place, env: &Env) -> Settings {
    if place.directory.as_os_str().is_empty() {
        return place.given.clone();
    }
    let manifest = Manifest::load(&place.directory, env).unwrap_or_default();
    place.given.or(&manifest.settings)
}

fn counts(opened: &Opened) -> StoreOutcome<Counts> {
    let holds = opened.holds()?;
    Ok(Counts {
        document_count: holds.documents,
        section_count: holds.sections,
        binary_count: holds.binary,
        changed: opened.updated.changed,
        removed: opened.updated.removed,
    })
}

fn list(env: &Env, sink: &mut dyn Sink) -> Outcome {
    each(env, sink, &mut |sink, record| sink.record(record))?;
    Ok(ExitStatus::Done)
}

/// Calls `take` with each named collection.
///
/// # Errors
///
/// Fails if the catalogue cannot be read.
pub fn each(
    env: &Env,
    sink: &mut dyn Sink,
    take: &mut dyn FnMut(&mut dyn Sink, &CollectionRecord<'_>) -> Result<(), Closed>,
) -> Result<(), Error> {
    let catalogue = Catalogue::load(env)?;
    if catalogue.collections().is_empty() {
        let hint = Hint::command("collection", ["add", "NAME", "DIR"]);
        sink.note(Note::new("no collections").hint(hint.why("to name a directory")));
    }
    for own in catalogue.collections() {
        let place = Place::of(own, None);
        let settings = said(&place, env);
        let opened = place.clone().open(Freshness::AsItIs, env.lock_timeout, env, &mut |_, _| {});
        let counts =
            opened.and_then(|opened| counts(&opened).map_err(|failure| opened.failure(failure)));
        if let Err(error) = &counts {
            sink.error(error);
        }
        let record = CollectionRecord {
            place: &place,
            aliases: &own.aliases,
            description: settings.description.as_deref(),
            version: settings.version.as_deref(),
            counts: counts.ok(),
            status: None,
        };
        if take(sink, &record).is_err() {
            break;
        }
    }
    Ok(())
}

/// The collection or directory called `name`.
fn place(name: &str, action: &str, env: &Env) -> Result<Place, Error> {
    let retry = |name: &str| Hint::command("collection", [action, name]);
    retrieval::place(name, &Catalogue::load(env)?, &retry, env)
}

/// A page of the documents of a collection, for callers in this process.
///
/// # Errors
///
/// Fails if the collection cannot be opened.
pub fn page(name: &str, limit: u64, offset: u64, env: &Env) -> Result<DocumentsPage, Error> {
    let mut sink = Collected::json();
    let opened = retrieval::open(vec![place(name, "show", env)?], true, env, &mut sink)?;
    sink.check()?;
    let Some(own) = opened.first() else { return Err(Error::usage("the collection is empty")) };
    let page = documents(own, limit, offset);
    let (total, documents) = page.map_err(|failure| own.failure(failure))?;
    let (collection, id) = (own.place.shown.clone(), own.place.id.clone());
    Ok(DocumentsPage { collection, id, documents, total })
}

fn show(name: &str, limit: u64, offset: u64, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let opened = retrieval::open(vec![place(name, "show", env)?], true, env, sink)?;
    let Some(own) = opened.first() else { return Ok(ExitStatus::Trouble) };
    let page = documents(own, limit, offset);
    let (total, documents) = page.map_err(|failure| own.failure(failure))?;
    let shown = offset + documents.len() as u64;
    let has_more = shown < total;
    let record = DocumentsRecord { place: &own.place, documents: &documents, total, has_more };
    if sink.record(&record).is_err() || sink.style().json {
        return Ok(ExitStatus::Done);
    }
    let again = |offset: u64| {
        let page = [limit, offset].map(|number| number.to_string());
        let [limit, offset] = &page;
        Hint::command("collection", ["show", name, "--limit", limit, "--offset", offset])
    };
    if has_more {
        let message = format!("documents {}-{shown} of {total}", offset + 1);
        sink.note(Note::new(message).hint(again(shown).why("for more")));
    } else if documents.is_empty() && total > 0 {
        let message = format!("--offset {offset} is past the last of {total} documents");
        sink.note(Note::new(message).hint(again(0).why("from the first")));
    } else if total == 0 {
        sink.note(Note::at(&own.place.directory, "it contains no documents"));
    }
    Ok(ExitStatus::Done)
}

fn documents(opened: &Opened, limit: u64, offset: u64) -> StoreOutcome<(u64, Vec<Document>)> {
    let page = opened.page(limit, offset)?.into_iter();
    let documents = page.map(|(id, title, size)| Document { id, title, size });
    Ok((opened.holds()?.documents, documents.collect()))
}

fn update(name: Option<&str>, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let catalogue = Catalogue::load(env)?;
    let places = match name {
        Some(name) => vec![place(name, "update", env)?],
        None => catalogue.collections().iter().map(|own| Place::of(own, None)).collect(),
    };
    for place in places {
        if place.store.is_some() && place.directory.as_os_str().is_empty() {
            let message = format!("'{}' is brought up to date where its files are", place.shown);
            match name {
                Some(_) => return Err(Error::usage(message)),
                None => sink.note(Note::new(message)),
            }
            continue;
        }
        let aliases = catalogue.find(&place.id).map(|own| own.aliases.clone()).unwrap_or_default();
        if let Err(error) = index(&place, &aliases, "updated", env, sink) {
            sink.error(&error);
        }
    }
    Ok(ExitStatus::Done)
}

/// Updates an index and reports its contents.
fn index(
    place: &Place,
    aliases: &[String],
    status: &'static str,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let mut progress = sink.progress(&format!("indexing {}", place.shown));
    // A collection that is kept in a database is first indexed locally.
    let opened =
        place.on_disk().open(Freshness::Required, env.lock_timeout, env, &mut |done, total| {
            progress(done, total)
        });
    drop(progress);
    let opened = opened?;
    retrieval::say(&opened, sink);
    publish(place, &opened, env)?;
    let counts = counts(&opened).map_err(|failure| opened.failure(failure))?;
    let settings = &opened.settings;
    // A closed output does not make the update fail.
    let _ = sink.record(&CollectionRecord {
        place,
        aliases,
        description: settings.description.as_deref(),
        version: settings.version.as_deref(),
        counts: Some(counts),
        status: Some(status),
    });
    if counts.document_count == 0 {
        let note = Note::at(&place.directory, "it contains no documents yet");
        let hint = Hint::command("list", ["--depth", "20"]).and([&place.directory]);
        sink.note(note.hint(hint.why("list what exists")));
    }
    Ok(())
}

/// Uploads an index to the collection's database, if it has one.
#[cfg(feature = "postgres")]
fn publish(place: &Place, opened: &Opened, env: &Env) -> Result<(), Error> {
    let Some(address) = &place.store else { return Ok(()) };
    publish::publish(opened, address, env).map_err(|failure| failure.error(Path::new(address)))
}

/// Removes the collection from its database, if this machine put it there.
#[cfg(feature = "postgres")]
fn withdraw(place: &Place, env: &Env) -> Result<(), Error> {
    let Some(address) = place.store.as_ref().filter(|_| !place.directory.as_os_str().is_empty())
    else {
        return Ok(());
    };
    publish::withdraw(&place.id, address, env).map_err(|failure| failure.error(Path::new(address)))
}

#[cfg(not(feature = "postgres"))]
fn withdraw(_: &Place, _: &Env) -> Result<(), Error> {
    Ok(())
}

#[cfg(not(feature = "postgres"))]
fn publish(_: &Place, _: &Opened, _: &Env) -> Result<(), Error> {
    Ok(())
}

/// The collection to remove. An unnamed directory may have been deleted, but must have an
/// index.
fn removable(name: &str, env: &Env) -> Result<Place, Error> {
    let place = match place(name, "remove", env) {
        Err(error) if matches!(error.code, Code::NotFound | Code::NotADirectory) => {
            Place::of_gone_directory(Path::new(name), env)?.ok_or(error)?
        }
        place => place?,
    };
    if !place.is_named && !place.has_index(env)? {
        let error = Error::new(Code::NotFound, "this directory has no index");
        return Err(error.at(Path::new(name)));
    }
    Ok(place)
}

fn remove(name: &str, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let place = removable(name, env)?;
    let aliases = if place.is_named {
        Catalogue::change(env, |catalogue| {
            let aliases = catalogue.find(&place.id).map(|own| own.aliases.clone());
            catalogue.remove(&place.id);
            Ok(aliases.unwrap_or_default())
        })?
    } else {
        Vec::new()
    };
    let withdrawn = withdraw(&place, env);
    place.remove_index(env)?;
    let _ = sink.record(&CollectionRecord {
        place: &place,
        aliases: &aliases,
        description: None,
        version: None,
        counts: None,
        status: Some("removed"),
    });
    withdrawn.map(|()| ExitStatus::Done).map_err(|mut error| {
        error.message = format!("it is still kept there: {}", error.message);
        error
    })
}

fn add_alias(name: &str, alias: &str, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let retry = |name: &str| Hint::command("collection", ["alias", name, alias]);
    Catalogue::load(env)?.get(name, &retry)?;
    Catalogue::change(env, |catalogue| catalogue.add_alias(name, alias))?;
    let catalogue = Catalogue::load(env)?;
    let own = catalogue.get(alias, &retry)?;
    let _ = sink.record(&CollectionRecord {
        place: &Place::of(own, None),
        aliases: &own.aliases,
        description: None,
        version: None,
        counts: None,
        status: Some("aliased"),
    });
    Ok(ExitStatus::Done)
}

/// The settings of a directory to name, from the command line and its `folio.toml`.
fn described(
    name: Option<&str>,
    directory: &Path,
    aliases: &[String],
    settings: &Settings,
    env: &Env,
) -> Result<Collection, Error> {
    let retry = |path: &Path| Hint::command("collection", ["add"]).and(name).and([path]);
    let place = Place::of_directory(directory, env)
        .map_err(|error| retrieval::no_directory(&retry, error, directory, env))?;
    let manifest = Manifest::load(&place.directory, env)?;
    let Some(name) = name.map(str::to_owned).or(manifest.name) else {
        let own = place.directory.file_name().and_then(|name| name.to_str());
        let own = own.filter(|name| check_name(name).is_ok()).unwrap_or("NAME");
        let hint = Hint::command("collection", ["add", own]).and([directory]);
        return Err(Error::usage("a name is missing").hint(hint.why("with a name")));
    };
    Ok(Collection {
        name,
        aliases: if aliases.is_empty() { manifest.aliases } else { aliases.to_vec() },
        directory: place.directory,
        store: None,
        settings: settings.clone(),
    })
}

fn add(new: &Collection, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let is_elsewhere = new.directory.as_os_str().is_empty();
    if is_elsewhere {
        // A directory that cannot be opened gets no name.
        Place::of(new, None).open(Freshness::AsItIs, env.lock_timeout, env, &mut |_, _| {})?;
    }
    let around = Catalogue::change(env, |catalogue| {
        let holds = |other: &&Collection| {
            let (one, other) = (&new.directory, &other.directory);
            one.starts_with(other) || other.starts_with(one)
        };
        let of_files = |own: &&Collection| !is_elsewhere && !own.directory.as_os_str().is_empty();
        let around = catalogue.collections().iter().filter(of_files).find(holds).cloned();
        catalogue.add(new.clone())?;
        Ok(around)
    })?;
    let place = Place::of(new, None);
    match is_elsewhere {
        true => say_added(&place, &new.aliases, env, sink)?,
        // If uploading to the database fails, the collection is not added.
        false => index(&place, &new.aliases, "added", env, sink).inspect_err(|_| {
            if new.store.is_some() {
                let _ = Catalogue::change(env, |catalogue| {
                    catalogue.remove(&new.name);
                    Ok(())
                });
            }
        })?,
    }
    if let Some(other) = around {
        let how = match () {
            () if other.directory == new.directory => "is also",
            () if new.directory.starts_with(&other.directory) => "lies inside",
            () => "holds",
        };
        let message = format!(
            "its directory {how} the collection '{}': a search of both finds documents twice",
            other.name
        );
        sink.note(Note::at(&new.directory, message));
    }
    Ok(ExitStatus::Done)
}

/// Reports a collection that was added from a database.
fn say_added(
    place: &Place,
    aliases: &[String],
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let opened = place.clone().open(Freshness::AsItIs, env.lock_timeout, env, &mut |_, _| {})?;
    let counts = counts(&opened).map_err(|failure| opened.failure(failure))?;
    let _ = sink.record(&CollectionRecord {
        place,
        aliases,
        description: place.given.description.as_deref(),
        version: place.given.version.as_deref(),
        counts: Some(counts),
        status: Some("added"),
    });
    Ok(())
}

#[cfg(feature = "postgres")]
fn check_store(store: Option<&str>) -> Result<(), Error> {
    store.map_or(Ok(()), |address| crate::collections::server::config(address).map(drop))
}

#[cfg(not(feature = "postgres"))]
fn check_store(_: Option<&str>) -> Result<(), Error> {
    Ok(())
}
