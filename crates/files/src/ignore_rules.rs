//! The rules that exclude files from a listing: ignore files of the directory, its parents and its
//! subdirectories; globs of the command line; and hidden names. The rules are the same as in
//! ripgrep. Ignore files are opened relative to the handle of their directory, and only inside the
//! roots.

use std::cell::{OnceCell, RefCell};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use ignore::types::{Types, TypesBuilder};
use rustix::fs::FileType;

use super::config;
use super::roots::Roots;
use super::system;
use crate::error::{Change, Code, Error, Hint};
use crate::options::{GLOB, TYPE, TYPE_ADD, TYPE_NOT};

/// Options that select the files of a tree.
#[derive(Clone, Debug, Default)]
pub struct RuleOptions {
    /// Globs with the syntax of ripgrep's `-g`. A glob that begins with `!` excludes files.
    pub globs: Vec<String>,
    /// Globs with the same syntax as `globs`, but case-insensitive.
    pub iglobs: Vec<String>,
    /// Globs of files to exclude. They take precedence over all other options.
    pub excludes: Vec<String>,
    /// Whether to include hidden names.
    pub hidden: bool,
    /// Whether to include ignored files.
    pub no_ignore: bool,
    /// The ignore files that are not read.
    pub unread: Unread,
    /// Whether git's ignore files also apply outside of repositories.
    pub no_require_git: bool,
    /// Paths of further ignore files. They have the lowest precedence. Their globs are relative to
    /// the working directory.
    pub ignore_files: Vec<PathBuf>,
    /// Names of file types to include, as for ripgrep's `-t`.
    pub types: Vec<String>,
    /// Names of file types to exclude.
    pub types_not: Vec<String>,
    /// Names of file types whose definition is cleared.
    pub types_cleared: Vec<String>,
    /// Definitions of further file types: `NAME:GLOB` or `NAME:include:OTHER,…`.
    pub types_added: Vec<String>,
}

/// The ignore files that are not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Do not read `.ignore`, `.rgignore` and the `ignore` key of `folio.toml`.
    pub dot: bool,
    /// Do not read git's ignore files: `.gitignore`, `.git/info/exclude` and the global ignore
    /// file.
    pub vcs: bool,
    /// Whether `.git/info/exclude` is not read.
    pub exclude: bool,
    /// Whether the user's global ignore file is not read.
    pub global: bool,
    /// Whether the ignore files of parent directories are not read.
    pub parent: bool,
}

impl RuleOptions {
    /// Fails if a glob or a file type is invalid, or if a named ignore file cannot be read.
    pub fn check(&self, roots: &Roots) -> Result<(), Error> {
        globs(self, None)?;
        types(self)?;
        ignore_files(&self.ignore_files, roots).map(|_| ())
    }
}

/// The result of applying the rules to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The name is included.
    Taken {
        /// Whether a glob includes the name, or no glob includes files.
        is_requested: bool,
    },
    /// A glob excludes the name.
    Excluded,
    /// An ignore file excludes the name.
    Ignored,
    /// The name begins with a dot, and hidden names are excluded.
    Hidden,
}

/// The ignore files and repository markers that exist in a directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    config: bool,
    ignore: bool,
    rgignore: bool,
    gitignore: bool,
    git: bool,
    jj: bool,
}

impl Marks {
    const UNKNOWN: Self =
        Self { config: true, ignore: true, rgignore: true, gitignore: true, git: true, jj: true };

    /// Records a name, if it is an ignore file or a repository marker.
    pub fn record_name(&mut self, name: &OsStr) {
        match name.as_bytes() {
            name if name == config::NAME.as_bytes() => self.config = true,
            b".ignore" => self.ignore = true,
            b".rgignore" => self.rgignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            b".jj" => self.jj = true,
            _ => {}
        }
    }

    /// Whether the configuration of the documents in the directory may differ from that of the
    /// directory above.
    pub fn change_config(self) -> bool {
        self.config || self.git
    }

    fn has_any(self) -> bool {
        self.config || self.ignore || self.rgignore || self.gitignore || self.git || self.jj
    }
}

/// The rules of one directory.
struct Level {
    /// The depth of the directory. 0 for the directories that contain the listed one.
    depth: usize,
    /// The length of the directory's path in a path from `/`.
    start: usize,
    // Ignore files that only ripgrep and folio read. They take precedence over other ignore files.
    rgignore: Gitignore,
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    /// Whether this directory is the root of a repository. If so, git's rules in parent directories
    /// do not apply.
    has_git: bool,
}

/// The rules that apply in a directory.
pub struct Rules {
    hidden: bool,
    ignores: bool,
    unread: Unread,
    requires_git: bool,
    further: Gitignore,
    // The globs of the command line. Unlike a glob in an ignore file, a glob here includes files.
    globs: Gitignore,
    // Whether at least one of the globs includes files.
    asks: bool,
    levels: Vec<Level>,
    global: OnceCell<Gitignore>,
    types: Types,
    roots: Roots,
    // The ignore files that could not be read.
    errors: RefCell<Vec<Error>>,
    // The ignore files that folio looked up, including those that do not exist.
    looked_up: RefCell<Vec<PathBuf>>,
}

impl Rules {
    /// Returns the rules in the directories that contain `directory`, which is given by its
    /// absolute path.
    pub fn for_directory(
        directory: &Path,
        options: &RuleOptions,
        roots: &Roots,
    ) -> Result<Self, Error> {
        let (globs, asks) = globs(options, roots.working_directory())?;
        let ignores = !options.no_ignore;
        let hidden = options.hidden;
        let global = OnceCell::new();
        let mut rules = Self {
            hidden,
            ignores,
            unread: options.unread,
            requires_git: !options.no_require_git,
            further: ignore_files(&options.ignore_files, roots)?,
            globs,
            asks,
            levels: Vec::new(),
            global,
            types: types(options)?,
            roots: roots.clone(),
            errors: RefCell::default(),
            looked_up: RefCell::default(),
        };
        if ignores && !options.unread.parent {
            let parents: Vec<&Path> = directory.ancestors().skip(1).collect();
            for parent in parents.into_iter().rev() {
                // Do not read ignore files above a root, or in a directory that may only be
                // traversed.
                match rules.roots.open_directory(parent) {
                    Ok(handle) => rules.enter(0, &handle, Marks::UNKNOWN, parent),
                    Err(error) if error.code == Code::PermissionDenied => {}
                    Err(error) if error.code.is_outside() => {}
                    Err(error) => rules.errors.get_mut().push(error),
                }
            }
        }
        Ok(rules)
    }

    /// Returns the errors for ignore files that could not be read since the last call.
    pub fn take_errors(&self) -> Vec<Error> {
        self.errors.take()
    }

    /// Returns the ignore files that folio looked up since the last call, including those that do
    /// not exist.
    pub fn take_asked(&self) -> Vec<PathBuf> {
        self.looked_up.take()
    }

    /// Adds the rules of a directory at a depth. The directory is given by its path from `/`.
    pub fn enter(&mut self, depth: usize, handle: impl AsFd, marks: Marks, path: &Path) {
        if !self.ignores || !marks.has_any() {
            return;
        }
        let (roots, looked_up) = (&self.roots, &self.looked_up);
        let directory = IgnoreDirectory { handle: handle.as_fd(), path, roots, looked_up };
        let known = |rules: Result<Gitignore, Error>| {
            rules.unwrap_or_else(|error| {
                self.errors.borrow_mut().push(error);
                Gitignore::empty()
            })
        };
        let file = |may_exist: bool, name: &str| {
            if may_exist { known(directory.read(OsStr::new(name))) } else { Gitignore::empty() }
        };
        let is_there = |may_exist: bool, name: &str| {
            let kind = if may_exist { directory.kind(name.as_ref()) } else { Ok(None) };
            kind.unwrap_or_else(|error| {
                self.errors.borrow_mut().push(error);
                None
            })
            .is_some()
        };
        let length = path.as_os_str().len();
        let Unread { dot, vcs, exclude, .. } = self.unread;
        let level = Level {
            depth,
            // The path of the root directory already ends with the slash that precedes the next
            // name.
            start: if length == 1 { 1 } else { length + 1 },
            rgignore: file(marks.rgignore && !dot, ".rgignore"),
            ignore: if !dot && (marks.ignore || marks.config) {
                known(directory.read_ignore(marks))
            } else {
                Gitignore::empty()
            },
            git: file(marks.gitignore && !vcs, ".gitignore"),
            exclude: if marks.git && !vcs && !exclude {
                known(directory.read_exclude())
            } else {
                Gitignore::empty()
            },
            has_git: is_there(marks.git, ".git") || is_there(marks.jj, ".jj"),
        };
        let files = [&level.rgignore, &level.ignore, &level.git, &level.exclude];
        let says = files.iter().any(|file| !file.is_empty());
        if says || level.has_git {
            self.levels.push(level);
        }
    }

    /// Removes the rules of the directory that was added last.
    pub fn leave(&mut self, depth: usize) {
        while self.levels.last().is_some_and(|level| level.depth == depth) {
            self.levels.pop();
        }
    }

    /// Applies the rules to a name in the directory that was added last. `shown` is the displayed
    /// path, and `absolute` is the path from `/`.
    pub fn judge(
        &self,
        name: &OsStr,
        shown: &[u8],
        absolute: &[u8],
        is_directory: bool,
    ) -> Verdict {
        match self.globs.matched(path(shown), is_directory) {
            Match::Whitelist(_) => return Verdict::Excluded,
            Match::Ignore(_) => return Verdict::Taken { is_requested: true },
            Match::None => {}
        }
        let ignored = self.ignored(shown, absolute, is_directory);
        let of_type = match &self.types {
            types if types.is_empty() || ignored == Some(true) => Match::None,
            types => types.matched(path(shown), is_directory),
        };
        match ignored {
            Some(true) => Verdict::Ignored,
            _ if of_type.is_ignore() => Verdict::Excluded,
            _ if of_type.is_whitelist() => Verdict::Taken { is_requested: !self.asks },
            Some(false) => Verdict::Taken { is_requested: !self.asks },
            None if !self.hidden && name.as_bytes().starts_with(b".") => Verdict::Hidden,
            None => Verdict::Taken { is_requested: !self.asks },
        }
    }

    /// Reads the user's global ignore file for git.
    fn read_global(&self) -> Gitignore {
        if self.roots.lack_home() {
            return Gitignore::empty();
        }
        let (rules, error) = Gitignore::global();
        self.looked_up.borrow_mut().extend(gitconfig_excludes_path());
        // As in git, invalid lines are ignored. With roots, the kernel may deny access to files
        // that did not exist when the run began.
        let is_kept = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        let is_failure = |error: &ignore::Error| {
            let kept = self.roots.confine() && error.io_error().is_some_and(is_kept);
            error.is_io() && !kept
        };
        if let Some(error) = error.filter(is_failure) {
            let error = Error::new(Code::IoError, format!("the ignore rules of git: {error}"));
            self.errors.borrow_mut().push(error);
        }
        rules
    }

    /// Whether ignore files exclude the path or include it explicitly. `None` if no rule matches
    /// the path.
    fn ignored(&self, shown: &[u8], absolute: &[u8], is_directory: bool) -> Option<bool> {
        if self.levels.is_empty() && self.further.is_empty() && self.requires_git {
            return None;
        }
        // The nearest rule applies. Ignore files of one kind apply only if no kind with higher
        // precedence has a matching rule. With roots, git's rules always apply, even outside
        // repositories.
        let is_confined = self.roots.confine();
        let is_repository =
            is_confined || !self.requires_git || self.levels.iter().any(|level| level.has_git);
        let (mut rgignore, mut ignore, mut git, mut exclude) = (None, None, None, None);
        let mut in_repository = is_repository;
        for level in self.levels.iter().rev() {
            let below = path(absolute.get(level.start..).unwrap_or_default());
            let ask = |rules: &Gitignore| verdict(rules.matched(below, is_directory));
            rgignore = rgignore.or_else(|| ask(&level.rgignore));
            if rgignore.is_some() {
                return rgignore;
            }
            ignore = ignore.or_else(|| ask(&level.ignore));
            if in_repository && ignore.is_none() {
                git = git.or_else(|| ask(&level.git));
                exclude = exclude.or_else(|| ask(&level.exclude));
            }
            in_repository &= !level.has_git;
        }
        let of_user = || {
            let global = || self.global.get_or_init(|| self.read_global());
            let Unread { vcs, global: unread, .. } = self.unread;
            let is_asked = self.ignores && is_repository && !is_confined && !vcs && !unread;
            is_asked.then(|| verdict(global().matched(path(shown), is_directory))).flatten()
        };
        let further = || {
            if self.further.is_empty() {
                None
            } else {
                verdict(self.further.matched(path(shown), is_directory))
            }
        };
        ignore.or(git).or(exclude).or_else(of_user).or_else(further)
    }
}

/// Returns the lines of a file that are UTF-8, and an error if the file cannot be read.
fn text_lines(file: File, path: &Path) -> impl Iterator<Item = Result<String, Error>> {
    let is_text = |line: &io::Result<String>| {
        !line.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::InvalidData)
    };
    let lines = BufReader::new(file).lines().take_while(is_text);
    lines.map(move |line| line.map_err(|error| Error::io(&error, path)))
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

fn verdict<T>(found: Match<T>) -> Option<bool> {
    match found {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Compiles the globs. Also returns whether at least one of them includes files.
fn globs(options: &RuleOptions, directory: Option<&Path>) -> Result<(Gitignore, bool), Error> {
    let glob_lists = [&options.globs, &options.iglobs, &options.excludes];
    if glob_lists.iter().all(|globs| globs.is_empty()) {
        return Ok((Gitignore::empty(), false));
    }
    // As in ripgrep, a glob with a slash is relative to the working directory.
    let mut builder = GitignoreBuilder::new(directory.unwrap_or(Path::new(".")));
    builder.allow_unclosed_class(false);
    let invalid = |glob: &str, error: &ignore::Error| match error {
        // The error contains the rewritten glob, so it is replaced with the original one.
        ignore::Error::Glob { err, .. } => Error::usage(format!("glob '{glob}': {err}")),
        error => Error::usage(format!("glob '{glob}': {error}")),
    };
    for (globs, is_folded) in [(&options.globs, false), (&options.iglobs, true)] {
        // This setting applies to the globs that are added later. It never fails.
        let _ = builder.case_insensitive(is_folded);
        for glob in globs {
            builder.add_line(None, glob).map_err(|error| invalid(glob, &error))?;
        }
    }
    let _ = builder.case_insensitive(false);
    for glob in &options.excludes {
        let line = format!("!{glob}");
        builder.add_line(None, &line).map_err(|error| invalid(glob, &error))?;
    }
    let globs = builder.build().map_err(|error| invalid("", &error))?;
    let asks = globs.num_ignores() > 0;
    Ok((globs, asks))
}

/// Reads the named ignore files. As in ripgrep, their globs are relative to the working directory.
fn ignore_files(paths: &[PathBuf], roots: &Roots) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new(".");
    for path in paths {
        add_lines(&mut builder, roots.open_file(path)?, path)?;
    }
    Ok(builder.build().unwrap_or_else(|_| Gitignore::empty()))
}

/// Adds the globs of an ignore file. Invalid lines are skipped.
fn add_lines(builder: &mut GitignoreBuilder, file: File, path: &Path) -> Result<(), Error> {
    // As in ripgrep, the rest of the file is ignored after the first line that is not text.
    for (number, line) in text_lines(file, path).enumerate() {
        let line = line?;
        let line = if number == 0 { line.trim_start_matches('\u{feff}') } else { &line };
        let _ = builder.add_line(None, line);
    }
    Ok(())
}

/// Returns the known file types: ripgrep's types, with the changes that the options make.
pub(super) fn known_types(options: &RuleOptions) -> Result<TypesBuilder, Error> {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    // ripgrep has only `md`, which includes these files.
    let _ = types.add("mdx", "*.mdx");
    options.types_cleared.iter().for_each(|name| {
        types.clear(name);
    });
    for definition in &options.types_added {
        types.add_def(definition).map_err(|_| {
            let message =
                format!("{TYPE_ADD} '{definition}' says neither NAME:GLOB nor NAME:include:OTHER");
            let example = Change::replace(TYPE_ADD, definition, "page:*.{htm,html}");
            Error::usage(message).hint(Hint::again([example]).why("like this"))
        })?;
    }
    Ok(types)
}

/// Returns a matcher for the requested file types.
fn types(options: &RuleOptions) -> Result<Types, Error> {
    let (included, excluded) = (&options.types, &options.types_not);
    let changed = [&options.types_cleared, &options.types_added];
    if included.is_empty() && excluded.is_empty() && changed.iter().all(|names| names.is_empty()) {
        return Ok(Types::empty());
    }
    let mut types = known_types(options)?;
    for name in included {
        types.select(name);
    }
    for name in excluded {
        types.negate(name);
    }
    types.build().map_err(|error| {
        let all = Hint::command("grep", ["--type-list"]).why("list all types");
        match &error {
            ignore::Error::UnrecognizedFileType(name) => {
                let glob = Change::add(GLOB, format!("*.{name}"));
                let option = if included.contains(name) { TYPE } else { TYPE_NOT };
                let others = if included.contains(name) { included } else { excluded };
                let others = others.iter().filter(|other| *other != name).map(OsString::from);
                let glob = [Change::Set(option, others.collect()), glob];
                let glob = Hint::again(glob).why("by extension");
                Error::usage(format!("unknown file type '{name}'")).hint(glob).hint(all)
            }
            error => Error::usage(error.to_string()).hint(all),
        }
    })
}

/// A directory whose ignore files are read. Names are resolved relative to its handle or, with
/// roots, below its root.
struct IgnoreDirectory<'a> {
    handle: BorrowedFd<'a>,
    path: &'a Path,
    roots: &'a Roots,
    looked_up: &'a RefCell<Vec<PathBuf>>,
}

impl IgnoreDirectory<'_> {
    /// Opens a regular file, following symlinks. Returns `None` if there is none.
    fn open(&self, name: &OsStr) -> Result<Option<File>, Error> {
        let path = self.path.join(name);
        let opened = if self.roots.confine() {
            self.roots.open_file(&path)
        } else {
            system::open_at(self.handle, name, system::TO_READ)
                .map(File::from)
                .map_err(|error| Error::io(&error.into(), &path))
        };
        self.looked_up.borrow_mut().push(path.clone());
        let Some(file) = none_if_missing(opened)? else { return Ok(None) };
        let status = system::status_of(&file).map_err(|error| Error::io(&error.into(), &path))?;
        Ok(status.kind.is_file().then_some(file))
    }

    /// Returns the kind of file that a name refers to, following symlinks. Returns `None` if a
    /// symlink is broken.
    fn kind(&self, name: &OsStr) -> Result<Option<FileType>, Error> {
        let path = self.path.join(name);
        none_if_missing(if self.roots.confine() {
            self.roots.status(&path).map(|status| status.kind)
        } else {
            system::kind_behind(self.handle, name).map_err(|error| Error::io(&error.into(), &path))
        })
    }

    /// Reads the rules in an ignore file. Returns no rules if it does not exist.
    fn read(&self, name: &OsStr) -> Result<Gitignore, Error> {
        let Some(file) = self.open(name)? else { return Ok(Gitignore::empty()) };
        let mut builder = GitignoreBuilder::new(".");
        add_lines(&mut builder, file, &self.path.join(name))?;
        Ok(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Reads the rules in `folio.toml`, and then those in `.ignore`.
    fn read_ignore(&self, marks: Marks) -> Result<Gitignore, Error> {
        let mut builder = GitignoreBuilder::new(".");
        let path = self.path.join(config::NAME);
        if let Some(file) = self.open_if(marks.config, config::NAME)? {
            let text = config::read(file, &path)?;
            for line in config::ignored(&text).map_err(|error| error.at(&path))? {
                let _ = builder.add_line(None, &line);
            }
        }
        if let Some(file) = self.open_if(marks.ignore, ".ignore")? {
            add_lines(&mut builder, file, &self.path.join(".ignore"))?;
        }
        Ok(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    fn open_if(&self, may_exist: bool, name: &str) -> Result<Option<File>, Error> {
        if may_exist { self.open(OsStr::new(name)) } else { Ok(None) }
    }

    fn first_line(&self, path: &Path) -> Result<Option<String>, Error> {
        let Some(file) = self.open(path.as_os_str())? else { return Ok(None) };
        text_lines(file, &self.path.join(path)).next().transpose()
    }

    /// Returns the path of the repository that a `.git` file refers to.
    fn common_git_directory(&self, git: &Path) -> Result<Option<PathBuf>, Error> {
        let line = self.first_line(git)?;
        let git_directory = line.as_deref().and_then(|line| line.strip_prefix("gitdir: "));
        let Some(git_directory) = git_directory.map(Path::new) else { return Ok(None) };
        let common = self.first_line(&git_directory.join("commondir"))?;
        Ok(common.map(|common| {
            if common.starts_with('.') { git_directory.join(common) } else { common.into() }
        }))
    }

    /// Reads `info/exclude` of the repository. `.git` may be a file that contains the path of the
    /// repository.
    fn read_exclude(&self) -> Result<Gitignore, Error> {
        const PLACE: &str = "info/exclude";
        let git = Path::new(".git");
        if !self.kind(git.as_os_str())?.is_some_and(FileType::is_file) {
            return self.read(git.join(PLACE).as_os_str());
        }
        match self.common_git_directory(git)? {
            Some(common) => self.read(common.join(PLACE).as_os_str()),
            None => Ok(Gitignore::empty()),
        }
    }
}

/// Converts the error for a file that does not exist, or to which access is denied, to `None`.
fn none_if_missing<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Err(error) if error.code.is_outside() => Ok(None),
        Err(error) if matches!(error.code, Code::NotFound | Code::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}
