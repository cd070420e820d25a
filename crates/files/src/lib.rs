//! Access to files below root directories, commits of several files, and the history of edits.
//!
//! ```
//! use std::path::Path;
//!
//! use folio_files::env::Env;
//! use folio_files::history::Draft;
//! use folio_files::lock::lock_directories;
//! use folio_files::replace::{CommitOptions, Editable, FileChange, Mode, commit};
//! use folio_files::state::StateDirectory;
//! use folio_files::undo::{Selection, undo};
//! use folio_text::edit::{Edit, EditSet};
//! use folio_text::span::Span;
//!
//! let directory = tempfile::tempdir().expect("a directory");
//! let file = directory.path().join("a.txt");
//! std::fs::write(&file, "one two\n").expect("written");
//! let state = StateDirectory::new(directory.path().join("state"));
//! let env = Env { undo: true, ..Env::new(directory.path())? };
//!
//! let locks = lock_directories(&[".".into()], &env)?;
//! let editable = Editable::open(Path::new("a.txt"), Mode::Rename, &locks)?;
//! let edits = EditSet::new(vec![Edit::new(Span::new(4, 7), "2")]).expect("disjoint edits");
//! let history = Some(Draft { operation: "replace".into(), ..Draft::default() });
//! let options = CommitOptions { history, state: Some(state.clone()), ..CommitOptions::default() };
//! let change = FileChange::Edit { file: editable, edits };
//! commit(vec![change], &locks, &options, &mut |_, _| {})?;
//! assert_eq!(std::fs::read(&file).expect("read"), b"one 2\n");
//!
//! drop(locks);
//! undo(&state, &Selection::default(), &env, true)?;
//! assert_eq!(std::fs::read(&file).expect("read"), b"one two\n");
//! # Ok::<(), folio_files::error::Error>(())
//! ```
//!
//! This crate answers which files exist below the roots ([`listing`], [`walk`]), what they contain
//! ([`document`]), and to which file an operand refers ([`address`]). It changes files completely
//! or not at all, even after a crash ([`replace`], [`recovery`]), and can undo each commit
//! ([`undo`]).
//!
//! It opens no file outside the roots ([`roots`]), follows only relative symlinks, and never
//! overwrites what another program wrote in the meantime. It does not depend on commands, and does
//! not read environment variables: [`env::Env`] contains what it needs.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod address;
pub mod config;
pub mod document;
pub mod editor_file;
pub mod env;
pub mod error;
pub mod hint;
pub mod history;
pub mod ignore_rules;
pub mod journal;
pub mod kernel;
pub mod link_target;
pub mod listing;
pub mod lock;
pub mod message;
pub mod options;
pub mod pipe;
pub mod place;
mod records;
pub mod recovery;
pub mod replace;
pub mod roots;
mod source;
pub mod state;
mod system;
pub mod undo;
pub mod walk;
