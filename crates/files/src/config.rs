//! Reads configuration files: `folio.toml` and the user's configuration. They set the formats of
//! files, the rules of sites, and ignored files. A `folio.toml` may also describe a collection.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use globset::{GlobBuilder, GlobMatcher};
use toml::de::{DeTable, DeValue};

use super::link_target::relative_to;
use super::place::{DocumentPlaces, Place};
use super::roots::Roots;
use crate::error::{Code, Error, Hint};
use crate::options::NO_CONFIG;
use folio_outline::format::{Feature, Format};
use folio_text::fuzzy::name::nearest;

/// Maximum size of a configuration file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The name of the configuration file in a directory.
pub const NAME: &str = "folio.toml";

/// Keys that describe a collection.
const COLLECTION: &[&str] =
    &["name", "description", "version", "include", "exclude", "alias", "language"];

/// Other keys of a `folio.toml`.
const OTHERS: &[&str] = &["ignore", "formats", "links"];

/// Keys that only the user's configuration may set. Their values are numbers.
const LIMITS: &[&str] = &["max_files", "max_undo_mib", "max_history_mib"];

/// The keys of `[links]`, which are options of `links`. The second value is whether the option
/// accepts several values.
const LINKS: &[(&str, bool)] = &[
    ("site", false),
    (ROOT_DIRECTORY, false),
    ("index-files", true),
    ("fallback-extensions", true),
    ("remap", true),
    (IGNORE, true),
];

/// An option whose value is relative to the directory of the configuration file.
const ROOT_DIRECTORY: &str = "root-dir";

/// The only option whose values are added to those on the command line, instead of being replaced.
const IGNORE: &str = "ignore";

/// The combined settings of all configuration files.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Formats of files by name.
    pub formats: Formats,
    /// Options of `links`, by name without dashes.
    pub links: BTreeMap<&'static str, Setting>,
    /// Limits, which only the user's configuration sets.
    pub limits: Limits,
}

/// The values of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// The value. An option may have several values.
    pub values: Vec<String>,
    /// The configuration file that contains the setting.
    pub file: PathBuf,
}

/// Formats of files by name. They take precedence over the built-in formats.
#[derive(Clone, Debug, Default)]
pub struct Formats(Arc<Vec<(GlobMatcher, Format)>>);

/// Limits set in the user's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of files that one run may change.
    pub max_files: u64,
    /// Maximum size in MiB of the undo data of one patch. A larger patch cannot be undone.
    pub max_undo_mib: u64,
    /// Maximum size in MiB of the whole history.
    pub max_history_mib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_files: 50, max_undo_mib: 256, max_history_mib: 1024 }
    }
}

impl Formats {
    /// Like [`Format::by_name`]. The first glob that matches determines the format.
    pub fn by_name(&self, file_name: &str) -> Option<Format> {
        let configured = self.0.iter().find(|(glob, _)| glob.is_match(file_name));
        configured.map(|(_, format)| *format).or_else(|| Format::by_name(file_name))
    }
}

impl Config {
    /// Loads the user's configuration. It is empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or contains an invalid setting.
    pub fn of_user(path: Option<&Path>) -> Result<Self, Error> {
        let mut config = Self::default();
        if let Some((path, text)) =
            path.map(|path| text(&Roots::default(), path)).transpose()?.flatten()
        {
            config.add_settings(&text, &path, None).map_err(|error| error.at(&path))?;
        }
        Ok(config)
    }

    /// Adds the settings in the `folio.toml` of a directory, if it exists. Returns whether it does.
    /// `given` is the path of the directory in messages and settings, and `repository` the
    /// repository that contains the directory.
    fn add_directory(
        &mut self,
        roots: &Roots,
        directory: &Path,
        given: &Path,
        repository: Option<&Path>,
    ) -> Result<bool, Error> {
        let Some((_, text)) = text(roots, &directory.join(NAME))? else { return Ok(false) };
        let path = given.join(NAME);
        if let Some(repository) = repository {
            check_link(roots, repository, &directory.join(NAME))?;
        }
        self.add_settings(&text, &path, Some(given)).map_err(|error| error.at(&path))?;
        let root = self.links.get(ROOT_DIRECTORY).filter(|setting| setting.file == path);
        if let Some(root) = root.and_then(|setting| setting.values.first()) {
            check_below(roots, directory, Path::new(root)).map_err(|error| error.at(&path))?;
        }
        Ok(true)
    }

    /// Adds the settings of another file. `directory` is the directory of the file; `None` for the
    /// user's file.
    fn add_settings(
        &mut self,
        text: &str,
        file: &Path,
        directory: Option<&Path>,
    ) -> Result<(), Error> {
        let mut formats = Vec::new();
        for_each_key(text, |table, key, value| match (table, key) {
            (None, IGNORE) if directory.is_none() => {
                Err(Error::usage(format!("'{IGNORE}' has no effect here"))
                    .hint(format!("put it in the {NAME} of a directory")))
            }
            (None, IGNORE) => strings(key, value).map(|_| ()),
            (None, "formats" | "links") => match value {
                DeValue::Table(_) => Ok(()),
                _ => Err(Error::usage(format!("'{key}' must be a table: [{key}]"))),
            },
            (None, key) if directory.is_none() && LIMITS.contains(&key) => {
                let limit = match key {
                    "max_files" => &mut self.limits.max_files,
                    "max_undo_mib" => &mut self.limits.max_undo_mib,
                    _ => &mut self.limits.max_history_mib,
                };
                *limit = number(key, value)?;
                Ok(())
            }
            (None, key) if directory.is_some() && COLLECTION.contains(&key) => Ok(()),
            (None, key) => {
                let known = OTHERS.iter().chain(directory.map_or(LIMITS, |_| COLLECTION));
                Err(unknown_key_error(key, known.copied().collect()))
            }
            (Some("formats"), glob) => {
                formats.push((matcher(glob)?, format(&string(glob, value)?)?));
                Ok(())
            }
            (Some("links"), key) => self.take_flag(key, value, file),
            (Some(_), _) => Ok(()),
        })?;
        formats.extend(self.formats.0.iter().cloned());
        self.formats = Formats(Arc::new(formats));
        Ok(())
    }

    fn take_flag(&mut self, key: &str, value: &DeValue<'_>, file: &Path) -> Result<(), Error> {
        let Some(&(flag, takes_several)) = LINKS.iter().find(|(flag, _)| *flag == key) else {
            return Err(unknown_key_error(key, LINKS.iter().map(|(flag, _)| *flag).collect()));
        };
        let mut values =
            if takes_several { strings(key, value)? } else { vec![string(key, value)?] };
        if flag == ROOT_DIRECTORY {
            values = vec![file.with_file_name(&values[0]).to_string_lossy().into_owned()];
        }
        let setting = self.links.entry(flag).or_default();
        if flag == IGNORE {
            setting.values.append(&mut values);
        } else {
            setting.values = values;
        }
        setting.file = file.to_owned();
        Ok(())
    }
}

/// The configurations of documents, which depend on their directories, not on the working
/// directory. Clones share them. By default, no configuration file is read.
#[derive(Clone, Debug, Default)]
pub struct DocumentConfigs(Option<Arc<Loader>>);

/// Loads the configurations of documents, each only once.
#[derive(Debug)]
struct Loader {
    roots: Roots,
    /// The user's configuration.
    user: Arc<Config>,
    places: DocumentPlaces,
    /// The configuration for each directory of documents, or the error of an invalid file.
    by_directory: RwLock<HashMap<PathBuf, Result<Arc<Config>, Error>>>,
    /// The configuration for each absolute path of a directory.
    by_absolute: Mutex<HashMap<PathBuf, Arc<Config>>>,
    walked: RwLock<Walked>,
}

/// The directories in which files were found by walks, as displayed.
#[derive(Debug, Default)]
struct Walked {
    /// The directories in which walks began.
    tops: Vec<PathBuf>,
    /// The directories below them that contain a `folio.toml` or are the root of a repository. The
    /// configuration of the others is that of the directory above.
    special: HashSet<PathBuf>,
}

impl DocumentConfigs {
    /// Creates the configurations from that of the user.
    pub fn new(user: Config, roots: &Roots) -> Self {
        Self(Some(Arc::new(Loader {
            roots: roots.clone(),
            user: Arc::new(user),
            places: DocumentPlaces::new(roots),
            by_directory: RwLock::default(),
            by_absolute: Mutex::default(),
            walked: RwLock::default(),
        })))
    }

    /// Returns the configuration of a document: the user's settings, and those in the `folio.toml`
    /// of each directory from the root of its repository to its directory. Outside of repositories,
    /// the files begin with the outermost directory in which documents are searched for. A setting
    /// in a nearer file takes precedence. They do not concern a `folio.toml` itself, so that an
    /// invalid one can be read and repaired.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, or contains an invalid setting.
    pub fn of_document(&self, document: &Path) -> Result<Arc<Config>, Error> {
        match &self.0 {
            Some(loader) if document.ends_with(NAME) => Ok(Arc::clone(&loader.user)),
            _ => self.of_directory(document.parent().unwrap_or(Path::new(""))),
        }
    }

    /// Returns the configuration of the documents in a directory.
    ///
    /// # Errors
    ///
    /// As [`Self::of_document`].
    pub fn of_directory(&self, directory: &Path) -> Result<Arc<Config>, Error> {
        match &self.0 {
            Some(loader) => loader.of_directory(directory),
            None => Ok(Arc::default()),
        }
    }

    /// Returns the format of a document by its name, as [`Formats::by_name`] does.
    ///
    /// # Errors
    ///
    /// As [`Self::of_document`].
    pub fn format_of(&self, document: &Path) -> Result<Option<Format>, Error> {
        let name = document.file_name().unwrap_or_default().to_string_lossy();
        Ok(self.of_document(document)?.formats.by_name(&name))
    }

    /// Whether a document may have a feature, judging by its name.
    ///
    /// # Errors
    ///
    /// As [`Self::of_document`].
    pub fn may_have(&self, document: &Path, feature: Feature) -> Result<bool, Error> {
        Ok(self.format_of(document)?.is_some_and(|format| format.has(feature)))
    }

    /// As [`Self::of_document`], for a document that was found by a walk.
    ///
    /// # Errors
    ///
    /// As [`Self::of_document`].
    pub fn of_walked(&self, document: &Path) -> Result<Arc<Config>, Error> {
        let Some(loader) = self.0.as_ref().filter(|_| !document.ends_with(NAME)) else {
            return self.of_document(document);
        };
        let walked = loader.walked.read().unwrap_or_else(PoisonError::into_inner);
        let tops = walked.tops.iter().filter(|top| document.starts_with(top));
        let Some(top) = tops.max_by_key(|top| top.as_os_str().len()) else {
            return self.of_document(document);
        };
        let below_top = document.ancestors().skip(1).take_while(|directory| *directory != top);
        let special = match walked.special.is_empty() {
            true => None,
            false => { below_top }.find(|directory| walked.special.contains(*directory)),
        };
        loader.of_directory(special.unwrap_or(top))
    }

    /// Begins a walk in a directory, which is also given by its absolute path.
    pub fn begin_walk(&self, directory: &Path, absolute: &Path) {
        let Some(loader) = &self.0 else { return };
        loader.places.add_searched(absolute);
        let mut walked = loader.walked.write().unwrap_or_else(PoisonError::into_inner);
        if !walked.tops.iter().any(|top| top == directory) {
            walked.tops.push(directory.to_owned());
        }
    }

    /// Adds a directory that a walk entered, and which contains a `folio.toml` or is the root of a
    /// repository.
    pub fn add_walked(&self, directory: &Path) {
        if let Some(loader) = &self.0 {
            let mut walked = loader.walked.write().unwrap_or_else(PoisonError::into_inner);
            walked.special.insert(directory.to_owned());
        }
    }
}

impl Loader {
    fn of_directory(&self, directory: &Path) -> Result<Arc<Config>, Error> {
        let known = self.by_directory.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = known.get(directory) {
            return config.clone();
        }
        drop(known);
        let config = self
            .of_place(self.places.of_directory(directory)?)
            .map_err(|error| error.hint(Hint::with_switch(NO_CONFIG).why("to ignore the file")));
        let mut known = self.by_directory.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(directory.to_owned(), config.clone());
        config
    }

    fn of_place(&self, place: Option<Place>) -> Result<Arc<Config>, Error> {
        let Some(Place { directory, outermost, repository }) = place else {
            return Ok(Arc::clone(&self.user));
        };
        self.of_absolute(&directory, &outermost, repository.as_deref())
    }

    fn of_absolute(
        &self,
        directory: &Path,
        outermost: &Path,
        repository: Option<&Path>,
    ) -> Result<Arc<Config>, Error> {
        let known = || self.by_absolute.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = known().get(directory) {
            return Ok(Arc::clone(config));
        }
        let above = match directory.parent().filter(|_| directory != outermost) {
            Some(parent) => self.of_absolute(parent, outermost, repository)?,
            None => Arc::clone(&self.user),
        };
        let given = relative_to(Path::new("."), directory, &self.roots);
        let given = given.unwrap_or_else(|| directory.to_owned());
        let given = given.strip_prefix(".").unwrap_or(&given);
        let mut config = Config::clone(&above);
        let has_file = config.add_directory(&self.roots, directory, given, repository)?;
        let config = if has_file { Arc::new(config) } else { above };
        known().insert(directory.to_owned(), Arc::clone(&config));
        Ok(config)
    }
}

/// Returns the globs of the key `ignore` in a `folio.toml`, as lines of an ignore file.
///
/// # Errors
///
/// Fails if the text is not TOML, or if a glob is not a string.
pub fn ignored(text: &str) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for_each_key(text, |table, key, value| {
        if table.is_none() && key == IGNORE {
            lines = strings(key, value)?;
        }
        Ok(())
    })?;
    Ok(lines)
}

/// Calls a function with each key in order and the name of the key's table. A table comes before
/// its keys. Errors include the line number.
pub fn for_each_key(
    text: &str,
    mut take: impl FnMut(Option<&str>, &str, &DeValue<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let parsed = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Error::usage(format!("line {}: {}", line(at), error.message()))
    })?;
    let mut keys = Vec::new();
    for (key, value) in parsed.get_ref() {
        keys.push((key.span().start, None, key.get_ref(), value.get_ref()));
        let DeValue::Table(table) = value.get_ref() else { continue };
        let table_keys = table.iter().map(|(inner, value)| {
            (inner.span().start, Some(key.get_ref().as_ref()), inner.get_ref(), value.get_ref())
        });
        keys.extend(table_keys);
    }
    keys.sort_by_key(|(start, ..)| *start);
    for (start, table, key, value) in keys {
        take(table, key, value).map_err(|error| error.after(format!("line {}: ", line(start))))?;
    }
    Ok(())
}

/// Returns the error for a key that is not in the list of known keys.
pub fn unknown_key_error(key: &str, known: Vec<&str>) -> Error {
    let error = Error::usage(format!("unknown key '{key}'"));
    match nearest(key, known.iter().copied(), 1).first() {
        Some(&at) => error.hint(format!("{}  # similar", known[at])),
        None => error.hint(format!("the keys are {}", known.join(", "))),
    }
}

/// Returns the error for a key that is not allowed in a `folio.toml`, if this is such a key.
pub fn unknown_in_directory(key: &str) -> Option<Error> {
    let is_known = COLLECTION.contains(&key) || OTHERS.contains(&key);
    (!is_known).then(|| unknown_key_error(key, COLLECTION.iter().chain(OTHERS).copied().collect()))
}

/// Returns a value as a string.
pub fn string(key: &str, value: &DeValue<'_>) -> Result<String, Error> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| Error::usage(format!("'{key}' must be a string")))
}

/// Returns a list of strings. A single string is a list with one item.
pub fn strings(key: &str, value: &DeValue<'_>) -> Result<Vec<String>, Error> {
    match value {
        DeValue::Array(values) => values.iter().map(|value| string(key, value.get_ref())).collect(),
        other => Ok(vec![string(key, other)?]),
    }
}

/// Returns a value as a non-negative integer.
fn number(key: &str, value: &DeValue<'_>) -> Result<u64, Error> {
    let number = match value {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    number.ok_or_else(|| Error::usage(format!("'{key}' must be an integer, 0 or more")))
}

fn matcher(glob: &str) -> Result<GlobMatcher, Error> {
    let built = GlobBuilder::new(glob).case_insensitive(true).build();
    let built = built.map_err(|error| Error::usage(format!("glob '{glob}': {}", error.kind())))?;
    Ok(built.compile_matcher())
}

fn format(name: &str) -> Result<Format, Error> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        Error::usage(format!("unknown format '{name}'"))
            .hint(format!("it is one of {}", names.join(", ")))
    })
}

/// Returns the path and the text of a configuration file, or `None` if the file does not exist or
/// access is denied.
fn text(roots: &Roots, path: &Path) -> Result<Option<(PathBuf, String)>, Error> {
    let file = match roots.open_file(path) {
        Ok(file) => file,
        Err(error) if error.code.is_outside() => return Ok(None),
        Err(error) if matches!(error.code, Code::NotFound | Code::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    Ok(Some((path.to_owned(), read(file, path)?)))
}

/// Reads a configuration file, which any user may have written.
///
/// # Errors
///
/// Fails if it is not a regular file of at most 1 MiB.
pub fn read(file: File, path: &Path) -> Result<String, Error> {
    let failed = |error: io::Error| Error::io(&error, path);
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Error::new(Code::NotRegular, "it is not a regular file").at(path));
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::usage("it is larger than 1 MiB").at(path));
    }
    Ok(text)
}

/// Fails if a file in a repository is a symlink to a file outside.
fn check_link(roots: &Roots, repository: &Path, file: &Path) -> Result<(), Error> {
    match roots.resolve_if_there(file)? {
        Some(resolved) if !resolved.starts_with(roots.resolve(repository)?) => {
            Err(Error::usage("it is a symlink that leads out of the repository").at(file))
        }
        _ => Ok(()),
    }
}

/// Fails if a path in a configuration file leads out of the directory of that file.
fn check_below(roots: &Roots, directory: &Path, said: &Path) -> Result<(), Error> {
    let Some(said) = roots.resolve_if_there(said)? else { return Ok(()) };
    if said.starts_with(roots.resolve(directory)?) {
        return Ok(());
    }
    Err(Error::usage(format!("'{ROOT_DIRECTORY}' must be below the directory of its {NAME}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(texts: &[(&str, Option<&str>)]) -> Result<Config, Error> {
        let mut config = Config::default();
        for (text, directory) in texts {
            let file = Path::new(directory.unwrap_or("own")).join(NAME);
            config.add_settings(text, &file, directory.map(Path::new))?;
        }
        Ok(config)
    }

    #[test]
    fn the_nearest_file_takes_precedence_and_ignored_globs_are_combined() {
        let user = "[formats]\n'*.mdc' = 'text'\n[links]\nsite = 'hugo'\nignore = ['a']\n";
        let top =
            "name = 'docs'\nignore = ['build/']\n[links]\nroot-dir = 'public'\nignore = 'b'\n";
        let nearest =
            "[links]\nsite = 'mdbook'\n[formats]\n'*.mdc' = 'markdown'\n'JUST*' = 'ini'\n";
        let config =
            config(&[(user, None), (top, Some("..")), (nearest, Some(""))]).expect("valid");
        let values = |option| config.links[option].values.join(" ");
        assert_eq!(["ignore", "root-dir", "site"].map(values), ["a b", "../public", "mdbook"]);
        for (name, format) in
            [("a.mdc", Format::Markdown), ("justfile", Format::INI), ("a.md", Format::Markdown)]
        {
            assert_eq!(config.formats.by_name(name), Some(format), "{name}");
        }
    }

    #[track_caller]
    fn check(text: &str, directory: Option<&str>, expected: &str) {
        let error = config(&[(text, directory)]).expect_err(text);
        assert!(error.message.to_string().contains(expected), "{error}");
    }

    #[test]
    fn invalid_settings_are_reported_with_their_line() {
        check("\nlinx = 1\n", Some(""), "line 2: unknown key 'linx'");
        check("[link]\nsite = 'hugo'\n", Some(""), "line 1: unknown key 'link'");
        check("links = 1\n", Some(""), "line 1: 'links' must be a table");
        check("[links]\n\nsit = 'hugo'\n", Some(""), "line 3: unknown key 'sit'");
        check("[links]\nsite = ['hugo']\n", Some(""), "line 2: 'site' must be a string");
        check("[formats]\n'*.x' = 'word'\n", Some(""), "line 2: unknown format 'word'");
        check("[formats]\n'[' = 'ini'\n", Some(""), "line 2: glob '['");
        check("name = 'docs'\n", None, "line 1: unknown key 'name'");
        check("ignore = ['a']\n", None, "line 1: 'ignore' has no effect here");
        check("a b\n", Some(""), "line 1");
    }

    #[test]
    fn the_configuration_of_a_document_begins_at_the_outermost_directory() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().canonicalize().expect("a path");
        std::fs::create_dir_all(root.join("a/b/c")).expect("made");
        for (name, text) in
            [("", "site = 'hugo'"), ("a", "ignore = 'x'"), ("a/b/c", "ignore = 'y'")]
        {
            let text = format!("[links]\n{text}\n");
            std::fs::write(root.join(name).join(NAME), text).expect("written");
        }
        let values = |outermost: &str, option| {
            let configs = DocumentConfigs::new(Config::default(), &Roots::default());
            configs.begin_walk(Path::new("elsewhere"), &root.join(outermost));
            let config = configs.of_document(&root.join("a/b/c/x.md")).expect("valid");
            config.links.get(option).map(|setting| setting.values.join(" ")).unwrap_or_default()
        };
        assert_eq!([values("", "site"), values("", "ignore")], ["hugo", "x y"]);
        assert_eq!([values("a", "site"), values("a", "ignore")], ["", "x y"]);
        assert_eq!([values("a/b/c", "site"), values("a/b/c", "ignore")], ["", "y"]);
    }

    #[test]
    fn ignored_globs_are_a_list_or_a_string() {
        assert_eq!(ignored("ignore = ['a/', '!b']\n").expect("valid"), ["a/", "!b"]);
        assert_eq!(ignored("ignore = 'a'\nname = 'x'\n").expect("valid"), ["a"]);
        assert!(ignored("[links]\nignore = 'a'\n").expect("valid").is_empty());
        assert!(ignored("ignore = 1\n").is_err());
    }
}
