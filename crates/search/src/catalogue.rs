//! The catalogue of named collections. It is a file in the data directory, which users may edit.

// The module accesses only folio's own file.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use toml::{Table, Value};

use super::storage::Storage;
use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint};
use folio_files::lock::lock_with_timeout;
use folio_files::roots::Mounts;
use folio_files::state::StateDirectory;
use folio_text::fuzzy::name::nearest;

const FILE: &str = "collections.toml";
const HEAD: &str = "# Collections and their directories. You may edit this file, but comments are
# not kept: folio rewrites it with each change.\n\n";

/// A named collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// The name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// The directory of the documents. Empty if the documents are not on this machine.
    pub directory: PathBuf,
    /// The URL of the database that stores the collection, if there is one.
    pub store: Option<String>,
    /// The settings in the catalogue.
    pub settings: Settings,
}

/// Settings of a collection. They come from options or from the collection's `folio.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A description of the collection.
    pub description: Option<String>,
    /// The version of the product that the documents describe.
    pub version: Option<String>,
    /// Globs of documents to include. If there are none, all documents are included.
    pub include: Vec<String>,
    /// Globs of documents and directories to exclude.
    pub exclude: Vec<String>,
    /// The language of the documents. It is detected if not set.
    pub language: Option<String>,
}

impl Collection {
    /// Returns the name that results show: the first alias, or the name if there is no alias.
    pub fn shown(&self) -> &str {
        self.aliases.first().unwrap_or(&self.name)
    }

    /// Whether `name` is the name or an alias of the collection.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// All named collections, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    collections: Vec<Collection>,
}

impl Catalogue {
    /// Reads the collections that this run may access. If there are roots, these are the
    /// collections inside the roots.
    pub fn load(storage: &Storage, env: &Env) -> Result<Self, Error> {
        let Some(data) = &storage.data else { return Ok(Self::default()) };
        let mut catalogue = Self::read(data)?;
        catalogue.collections.retain(|collection| match collection.store {
            Some(_) => !env.roots.confine(),
            None => env.roots.may_hold(&collection.directory),
        });
        Ok(catalogue)
    }

    fn read(data: &StateDirectory) -> Result<Self, Error> {
        let file = data.path().join(FILE);
        match fs::read_to_string(&file) {
            Ok(text) => Self::parse(&text).map_err(|message| damaged(&message, &file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::io(&error, &file)),
        }
    }

    /// Returns all collections, sorted by name.
    pub fn collections(&self) -> &[Collection] {
        &self.collections
    }

    /// Returns the collection with this name or alias.
    pub fn find(&self, name: &str) -> Option<&Collection> {
        self.collections.iter().find(|collection| collection.is_called(name))
    }

    /// Returns the collection with this name or alias. If there is none, the error lists similar
    /// names.
    pub fn get(&self, name: &str, retry: &dyn Fn(&str) -> Hint) -> Result<&Collection, Error> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        let mut error = Error::new(Code::CollectionNotFound, format!("no collection '{name}'"));
        let names = self.names();
        for at in nearest(name, names.iter().map(String::as_str), 3) {
            error = error.hint(retry(&names[at]).why("similar"));
        }
        Err(if names.is_empty() {
            error.hint(Hint::command("collection", ["add", name, "DIR"]).why("to name it"))
        } else {
            error.hint(Hint::command("collection", ["list"]).why("list them"))
        })
    }

    /// Returns all names and aliases.
    pub fn names(&self) -> Vec<String> {
        let names = self.collections.iter();
        names
            .flat_map(|collection| std::iter::once(&collection.name).chain(&collection.aliases))
            .cloned()
            .collect()
    }

    /// Adds a collection.
    ///
    /// # Errors
    ///
    /// Fails if a name is invalid or already used.
    pub fn add(&mut self, new: Collection) -> Result<(), Error> {
        for name in std::iter::once(&new.name).chain(&new.aliases) {
            check_name(name)?;
            self.check_free(name)?;
        }
        let mut names: Vec<&String> = std::iter::once(&new.name).chain(&new.aliases).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|two| two[0] == two[1]) {
            return Err(Error::usage(format!("the name '{}' is given twice", pair[0])));
        }
        self.collections.push(new);
        self.collections.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(())
    }

    fn check_free(&self, name: &str) -> Result<(), Error> {
        let Some(owner) = self.find(name) else { return Ok(()) };
        let whose = match owner.name == name {
            true if owner.directory.as_os_str().is_empty() => {
                format!("a collection named '{name}' already exists")
            }
            true => format!("'{name}' is already the name of '{}'", owner.directory.display()),
            false => format!("'{name}' is an alias of the collection '{}'", owner.name),
        };
        let hint = Hint::command("collection", ["show", &owner.name]);
        Err(Error::usage(whose).hint(hint.why("its documents")))
    }

    /// Adds an alias to a collection.
    pub fn add_alias(&mut self, name: &str, alias: &str) -> Result<(), Error> {
        check_name(alias)?;
        self.check_free(alias)?;
        let collection = self.collections.iter_mut().find(|collection| collection.is_called(name));
        if let Some(collection) = collection {
            collection.aliases.push(alias.to_owned());
        }
        Ok(())
    }

    /// Removes a collection.
    pub fn remove(&mut self, name: &str) {
        self.collections.retain(|collection| !collection.is_called(name));
    }

    /// Changes the catalogue file while holding its lock.
    pub fn change<T>(
        storage: &Storage,
        env: &Env,
        act: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let data = storage.data.as_ref().ok_or_else(|| {
            Error::usage("no directory for the names of collections")
                .hint("set HOME, or XDG_DATA_HOME")
        })?;
        let directory = data.part("").map_err(|error| Error::io(&error, data.path()))?;
        let _lock = lock(&directory, env)?;
        let mut catalogue = Self::read(data)?;
        let result = act(&mut catalogue)?;
        let file = directory.join(FILE);
        catalogue.write(&directory, &file).map_err(|error| Error::io(&error, &file))?;
        Ok(result)
    }

    fn write(&self, directory: &Path, file: &Path) -> io::Result<()> {
        let temporary = directory.join(format!(".{FILE}.{}", std::process::id()));
        let mut new = File::create(&temporary)?;
        let written = new.write_all(self.text().as_bytes()).and_then(|()| new.sync_all());
        written.and_then(|()| fs::rename(&temporary, file)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    fn text(&self) -> String {
        let mut all = Table::new();
        for collection in &self.collections {
            let mut table = Table::new();
            let directory = collection.directory.as_os_str().as_bytes();
            match std::str::from_utf8(directory) {
                Ok(text) => table.insert("directory".into(), text.into()),
                Err(_) => table.insert("bytes".into(), STANDARD.encode(directory).into()),
            };
            let lists = [
                ("alias", &collection.aliases),
                ("include", &collection.settings.include),
                ("exclude", &collection.settings.exclude),
            ];
            for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
                table.insert(key.into(), list.clone().into());
            }
            let texts = [
                ("store", &collection.store),
                ("description", &collection.settings.description),
                ("version", &collection.settings.version),
                ("language", &collection.settings.language),
            ];
            for (key, text) in texts {
                table.extend(text.clone().map(|text| (key.to_owned(), text.into())));
            }
            all.insert(collection.name.clone(), table.into());
        }
        format!("{HEAD}{all}")
    }

    fn parse(text: &str) -> Result<Self, String> {
        let all: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let mut collections = Vec::new();
        for (name, value) in all {
            let Value::Table(table) = value else { continue };
            let text = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
            let list = |key: &str| -> Vec<String> {
                let values = table.get(key).and_then(Value::as_array).into_iter().flatten();
                values.filter_map(Value::as_str).map(str::to_owned).collect()
            };
            let bytes = || STANDARD.decode(text("bytes")?).ok();
            let store = text("store");
            let without_directory = || store.as_ref().map(|_| Vec::new());
            let directory =
                text("directory").map(String::into_bytes).or_else(bytes).or_else(without_directory);
            let directory = directory.ok_or(format!("'{name}' has no directory"))?;
            collections.push(Collection {
                aliases: list("alias"),
                directory: std::ffi::OsString::from_vec(directory).into(),
                store,
                settings: Settings {
                    description: text("description"),
                    version: text("version"),
                    include: list("include"),
                    exclude: list("exclude"),
                    language: text("language"),
                },
                name,
            });
        }
        collections.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(Self { collections })
    }
}

fn damaged(message: &str, file: &Path) -> Error {
    let what = message.lines().next().unwrap_or_default();
    Error::new(Code::IoError, format!("the names of collections cannot be read: {what}")).at(file)
}

/// Locks the catalogue file. Waits for other writers.
fn lock(directory: &Path, env: &Env) -> Result<File, Error> {
    let path = directory.join(".collections.lock");
    let file = File::create(&path).map_err(|error| Error::io(&error, &path))?;
    lock_with_timeout(&file, &path, "another run is changing the collections", env)?;
    Ok(file)
}

/// Fails if a name cannot be part of an address.
pub fn check_name(name: &str) -> Result<(), Error> {
    if name == "all" {
        let message = "invalid collection name 'all': -c all searches all collections";
        return Err(Error::usage(message));
    }
    let fits = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let begins = name.starts_with(|first: char| first.is_alphanumeric() || first == '_');
    if begins && name.chars().all(fits) {
        return Ok(());
    }
    let plain: String =
        name.chars().map(|letter| if fits(letter) { letter } else { '-' }).collect();
    let plain = plain.trim_matches(['-', '.']).to_owned();
    let message = format!(
        "invalid collection name '{name}': use letters, digits, '.', '_' and '-', beginning with a \
         letter or digit"
    );
    let error = Error::usage(message);
    Err(if plain.is_empty() { error } else { error.hint(format!("{plain}  # a valid name")) })
}

/// Resolves `@NAME` in addresses.
#[derive(Debug)]
pub struct NamedCollections {
    data: StateDirectory,
    #[cfg(feature = "postgres")]
    texts: super::texts::StoredTexts,
}

impl NamedCollections {
    /// Uses the catalogue in the data directory. The file is read for each address. Returns `None`
    /// if the directory is not known.
    pub fn from_storage(storage: &Storage) -> Option<Self> {
        Some(Self {
            data: storage.data.clone()?,
            #[cfg(feature = "postgres")]
            texts: super::texts::StoredTexts::new(storage),
        })
    }
}

impl Mounts for NamedCollections {
    fn directory(&self, name: &str) -> Option<PathBuf> {
        let catalogue = Catalogue::read(&self.data).ok()?;
        catalogue
            .find(name)
            .filter(|collection| collection.store.is_none())
            .map(|collection| collection.directory.clone())
    }

    fn is_stored(&self, name: &str) -> bool {
        let catalogue = Catalogue::read(&self.data);
        catalogue
            .is_ok_and(|all| all.find(name).is_some_and(|collection| collection.store.is_some()))
    }

    #[cfg(feature = "postgres")]
    fn open_stored(&self, name: &str, document: &[u8]) -> Result<File, Error> {
        let catalogue = Catalogue::read(&self.data)?;
        let collection = catalogue.find(name);
        let store =
            collection.and_then(|collection| Some((&collection.name, collection.store.as_ref()?)));
        let not_found = || Error::new(Code::CollectionNotFound, format!("no collection '{name}'"));
        let (name, address) = store.ok_or_else(not_found)?;
        self.texts.open(address, name, document)
    }

    fn names(&self) -> Vec<String> {
        Catalogue::read(&self.data).map(|catalogue| catalogue.names()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(name: &str, aliases: &[&str]) -> Collection {
        Collection {
            name: name.to_owned(),
            aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
            directory: PathBuf::from("/a b/c"),
            store: None,
            settings: Settings {
                description: Some("About \"it\"\n".to_owned()),
                include: vec!["*.md".to_owned()],
                ..Settings::default()
            },
        }
    }

    fn storage() -> (tempfile::TempDir, Storage) {
        let directory = tempfile::tempdir().expect("a directory");
        let data = StateDirectory::new(directory.path().join("data"));
        (directory, Storage { data: Some(data), ..Storage::default() })
    }

    fn load(storage: &Storage) -> Result<Catalogue, Error> {
        Catalogue::load(storage, &Env::default())
    }

    fn change(
        storage: &Storage,
        act: impl FnOnce(&mut Catalogue) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Catalogue::change(storage, &Env::default(), act)
    }

    #[test]
    fn added_collections_are_stored() {
        let (_directory, storage) = storage();
        assert!(load(&storage).expect("read").collections().is_empty());
        let odd = std::ffi::OsStr::from_bytes(b"/caf\xe9");
        let odd = Collection { directory: odd.into(), ..collection("odd", &[]) };
        let docs = collection("docs", &["d"]);
        change(&storage, |catalogue| catalogue.add(odd.clone())).expect("added");
        change(&storage, |catalogue| catalogue.add(docs.clone())).expect("added");
        change(&storage, |catalogue| catalogue.add_alias("docs", "e")).expect("added");
        let read = load(&storage).expect("read");
        assert_eq!(read.find("odd"), Some(&odd));
        assert_eq!(read.find("e").map(|found| (&*found.name, found.shown())), Some(("docs", "d")));
        change(&storage, |catalogue| {
            catalogue.remove("d");
            Ok(())
        })
        .expect("removed");
        assert_eq!(load(&storage).expect("read").names(), ["odd"]);
    }

    #[test]
    fn the_file_states_that_comments_are_not_kept() {
        let (_directory, storage) = storage();
        let path = storage.data.as_ref().expect("set").part("").expect("made").join(FILE);
        fs::write(&path, "# Mine\n[a]\ndirectory = \"/a\"  # or /b\n").expect("written");
        change(&storage, |catalogue| catalogue.add(collection("docs", &[]))).expect("added");
        let text = fs::read_to_string(&path).expect("read");
        let comments: Vec<&str> = text.split('#').skip(1).collect();
        assert!(comments.concat().contains("comments are\n not kept"), "{text}");
        assert_eq!(comments.len(), 2, "{text}");
        assert_eq!(load(&storage).expect("read").names(), ["a", "docs"]);
    }

    #[test]
    fn names_and_aliases_share_one_space() {
        let mut catalogue = Catalogue::default();
        catalogue.add(collection("docs", &["d"])).expect("added");
        for name in ["docs", "d"] {
            let error = catalogue.add(collection(name, &[])).expect_err(name);
            assert!(error.to_string().contains("docs"), "{error}");
        }
        assert!(catalogue.add(collection("x", &["x"])).is_err());
        assert!(catalogue.add_alias("docs", "d").is_err());
        for odd in ["", "a/b", "-x", ".x", "a b", "a:b", "@a", "a\nb"] {
            assert!(catalogue.add(collection(odd, &[])).is_err(), "{odd}");
        }
        catalogue.add(collection("größe_2.x-y", &[])).expect("added");
    }

    #[test]
    fn an_invalid_file_is_reported_and_kept() {
        let (_directory, storage) = storage();
        let path = storage.data.as_ref().expect("set").part("").expect("made").join(FILE);
        fs::write(&path, "[docs\n").expect("written");
        assert_eq!(load(&storage).expect_err("odd").code, Code::IoError);
        assert!(change(&storage, |catalogue| catalogue.add(collection("a", &[]))).is_err());
        assert_eq!(fs::read_to_string(&path).expect("read"), "[docs\n");
    }
}
