//! Selects the entries of a page. Entries outside the page are counted but not kept in memory.

use std::cmp::Reverse;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::args::{ListArgs, SortArg};
use crate::commands::json::timestamp;
use crate::commands::output::{Sink, counted};
use folio_files::document::DocumentOptions;
use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::listing::{EntryFacts, EntryKind, LeftOut, ListedEntry, Order, Visitor};

#[derive(Clone, Debug)]
pub(super) struct PageEntry {
    pub(super) path: PathBuf,
    pub(super) level: usize,
    pub(super) kind: EntryKind,
    /// The size of a file in bytes. `None` for other entries.
    pub(super) size: Option<u64>,
    /// The modification time, in seconds since 1970.
    pub(super) modified: Option<i64>,
    pub(super) children: Option<u64>,
    pub(super) title: Option<Vec<u8>>,
}

impl PageEntry {
    /// Returns the modification time in the format of RFC 3339. Returns `None` if it is before
    /// 1970.
    pub(super) fn modified(&self) -> Option<String> {
        u64::try_from(self.modified?).ok().map(timestamp)
    }
}

/// A page of entries, with totals of the whole directory.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) entries: Vec<PageEntry>,
    /// Number of entries by kind: files, directories, symlinks, others.
    pub(super) counts: [u64; 4],
    /// Whether some directories could not be read, so that entries may be missing.
    pub(super) is_incomplete: bool,
    pub(super) left_out: LeftOut,
    /// For each level, whether another entry of this level follows the page before an entry of a
    /// higher level. Used to draw the lines of a tree.
    pub(super) goes_on: Vec<bool>,
}

impl Page {
    /// Returns the number of all entries.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether there are entries after the page.
    pub(super) fn has_more(&self, offset: u64) -> bool {
        offset.saturating_add(self.entries.len() as u64) < self.total()
    }

    /// Returns the page with only its first `count` entries.
    pub(super) fn first(&self, count: usize) -> Self {
        let mut goes_on = vec![false; self.goes_on.len()];
        let mut lowest = usize::MAX;
        let next_levels = self.entries[count..].iter().map(|entry| entry.level);
        let later = (0..self.goes_on.len()).rev().filter(|&level| self.goes_on[level]);
        for level in next_levels.chain(later) {
            if level < lowest {
                lowest = level;
                goes_on.resize(goes_on.len().max(level + 1), false);
                goes_on[level] = true;
            }
        }
        let entries = self.entries[..count].to_vec();
        Self {
            entries,
            goes_on,
            counts: self.counts,
            is_incomplete: self.is_incomplete,
            left_out: self.left_out,
        }
    }

    /// Returns a summary such as `12 items (9 files, 3 directories)`, with the range of entries on
    /// the page.
    pub(super) fn summary(&self, offset: u64) -> String {
        let [files, directories, links, others] = self.counts;
        let mut parts = vec![counted(files, "file"), counted(directories, "directory")];
        if links > 0 {
            parts.push(counted(links, "symlink"));
        }
        if others > 0 {
            parts.push(counted(others, "other"));
        }
        let (total, returned) = (self.total(), self.entries.len() as u64);
        let summary = format!("{} ({})", counted(total, "item"), parts.join(", "));
        match returned {
            0 if total > 0 => format!("{summary}, none shown"),
            _ if returned < total => {
                format!("{summary}, {}-{} shown", offset + 1, offset + returned)
            }
            _ => summary,
        }
    }
}

/// The sort key of an entry. Entries with smaller keys come first. Entries with equal keys are in
/// the order in which they were found.
type Rank = (Reverse<(i64, u32)>, u64);

/// Lists a directory. Errors about entries are reported to the sink.
pub(super) fn page(
    directory: &Path,
    args: &ListArgs,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<Page, Error> {
    let style = sink.style();
    let counts_children = style.json || args.details || (args.is_tree() && !args.null);
    let mut collector = Collector {
        extensions: args.extensions(),
        args,
        env,
        sink,
        counts_children,
        order: args.order_of_all(),
        page: Page::default(),
        pending: Vec::new(),
        ranked: Vec::new(),
        worst: None,
        lowest: usize::MAX,
    };
    let left_out = folio_files::listing::list(directory, &args.walk(), env, &mut collector)?;
    let mut page = collector.finish();
    page.left_out = left_out;
    Ok(page)
}

pub(super) fn page_of_roots(
    roots: &[PathBuf],
    args: &ListArgs,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<Page, Error> {
    let mut all = Page { counts: [0, roots.len() as u64, 0, 0], ..Page::default() };
    // The entries of the roots are only counted.
    let no_entries = ListArgs { offset: u64::MAX, sort: SortArg::Name, ..args.clone() };
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let most = size(args.max_entries());
    for root in roots.iter().skip(size(args.offset)).take(most) {
        let children = Some(page(root, &no_entries, env, sink)?.total());
        all.entries.push(PageEntry {
            path: root.clone(),
            level: 0,
            kind: EntryKind::Directory,
            size: None,
            modified: None,
            children,
            title: None,
        });
    }
    Ok(all)
}

struct Collector<'a> {
    args: &'a ListArgs,
    /// The extensions to include, in lower case.
    extensions: Vec<String>,
    env: &'a Env,
    sink: &'a mut dyn Sink,
    /// Whether to show the number of children of directories.
    counts_children: bool,
    /// The order in which all entries are sorted together.
    order: Order,
    page: Page,
    /// Directories of a tree that are not yet shown, because no entry below them has been found.
    pending: Vec<PageEntry>,
    /// Candidates for the page. Used if all entries are sorted together.
    ranked: Vec<(Rank, PageEntry)>,
    /// The sort key of the last candidate. `None` while there are too few candidates.
    worst: Option<Rank>,
    /// The smallest level of the entries after the page that were found so far.
    lowest: usize,
}

impl Visitor for Collector<'_> {
    fn wants_children(&mut self, found: &ListedEntry<'_>) -> bool {
        if !self.counts_children || !self.selects(found) {
            return false;
        }
        self.forget_pending(found.level);
        match self.order {
            Order::Name => self.is_on_page(self.page.total() + self.pending.len() as u64),
            _ => {
                let facts = self.facts(found);
                self.is_good_enough(self.rank(facts.as_ref()))
            }
        }
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        self.forget_pending(found.level);
        if !self.selects(found) {
            if self.args.is_tree() && found.is_entered {
                let facts = self.details(found);
                let parent = self.describe(found, facts);
                self.pending.push(parent);
            }
            return;
        }
        for parent in std::mem::take(&mut self.pending) {
            self.place(EntryKind::Directory, parent.level, |_| parent);
        }
        if self.order == Order::Name {
            self.place(found.kind, found.level, |collector| {
                let facts = collector.details(found);
                collector.describe(found, facts)
            });
            return;
        }
        let facts = self.facts(found);
        let rank = self.rank(facts.as_ref());
        self.page.counts[found.kind as usize] += 1;
        if self.is_good_enough(rank) {
            let entry = self.describe(found, facts.filter(|_| self.args.details));
            self.ranked.push((rank, entry));
            self.forget_the_worst();
        }
    }

    fn failed(&mut self, error: Error) {
        self.page.is_incomplete = true;
        self.sink.error(&error);
    }
}

impl Collector<'_> {
    /// Whether the entry itself matches the filters.
    fn selects(&self, found: &ListedEntry<'_>) -> bool {
        let extensions = &self.extensions;
        let has_wanted_extension =
            || extensions.is_empty() || has_extension(found.name().as_bytes(), extensions);
        let shows_files = !self.args.is_tree() || self.args.draws_files();
        found.is_asked
            && match found.kind {
                EntryKind::Directory => extensions.is_empty(),
                EntryKind::File => shows_files && has_wanted_extension(),
                EntryKind::Symlink | EntryKind::Other => shows_files && extensions.is_empty(),
            }
    }

    fn forget_pending(&mut self, level: usize) {
        while self.pending.last().is_some_and(|entry| entry.level >= level) {
            self.pending.pop();
        }
    }

    fn is_on_page(&self, index: u64) -> bool {
        let is_before_end = (self.page.entries.len() as u64) < self.args.max_entries();
        index >= self.args.offset && is_before_end
    }

    /// Counts an entry, and adds it to the page if it is within the page.
    fn place(&mut self, kind: EntryKind, level: usize, entry: impl FnOnce(&mut Self) -> PageEntry) {
        let index = self.page.total();
        if self.is_on_page(index) {
            let entry = entry(self);
            self.page.entries.push(entry);
        } else if index >= self.args.offset && level < self.lowest {
            self.lowest = level;
            if self.page.goes_on.len() <= level {
                self.page.goes_on.resize(level + 1, false);
            }
            self.page.goes_on[level] = true;
        }
        self.page.counts[kind as usize] += 1;
    }

    fn rank(&self, facts: Option<&EntryFacts>) -> Rank {
        let key = facts.map_or((i64::MIN, 0), |facts| facts.key(self.order));
        (Reverse(key), self.page.total())
    }

    fn is_good_enough(&self, rank: Rank) -> bool {
        self.worst.is_none_or(|worst| rank < worst)
    }

    /// Returns the position of the last entry of the page, counted from 1.
    fn end(&self) -> Option<usize> {
        let end = self.args.offset.saturating_add(self.args.limit);
        usize::try_from(end).ok().filter(|_| self.args.limit > 0)
    }

    fn forget_the_worst(&mut self) {
        let Some(end) = self.end() else { return };
        if self.ranked.len() >= end.saturating_mul(2).max(64) {
            self.ranked.select_nth_unstable_by_key(end - 1, |(rank, _)| *rank);
            self.ranked.truncate(end);
            self.worst = self.ranked.last().map(|(rank, _)| *rank);
        }
    }

    /// Returns the metadata of an entry. Reports a failure as an error.
    fn facts(&mut self, found: &ListedEntry<'_>) -> Option<EntryFacts> {
        found.facts().unwrap_or_else(|error| {
            self.failed(error);
            None
        })
    }

    /// Returns the metadata of an entry, if `--details` shows it.
    fn details(&mut self, found: &ListedEntry<'_>) -> Option<EntryFacts> {
        if self.args.details { self.facts(found) } else { None }
    }

    fn describe(&mut self, found: &ListedEntry<'_>, facts: Option<EntryFacts>) -> PageEntry {
        let mut title = None;
        if self.args.titles && found.kind == EntryKind::File {
            let open = || found.document(&DocumentOptions::default(), self.env);
            title = super::title::title(found.path, &self.env.configs, open)
                .map_err(|error| self.failed(error))
                .unwrap_or_default();
        }
        PageEntry {
            path: found.path.to_owned(),
            level: found.level,
            kind: found.kind,
            size: facts.filter(|_| found.kind == EntryKind::File).map(|facts| facts.size),
            modified: facts.map(|facts| facts.modified.0),
            children: found.children.filter(|_| self.counts_children),
            title,
        }
    }

    fn finish(mut self) -> Page {
        if self.order != Order::Name {
            self.ranked.sort_unstable_by_key(|(rank, _)| *rank);
            let first = usize::try_from(self.args.offset).unwrap_or(usize::MAX);
            let end = self.end().unwrap_or(usize::MAX);
            let entries = self.ranked.into_iter().take(end).skip(first);
            self.page.entries = entries.map(|(_, entry)| entry).collect();
        }
        self.page
    }
}

/// Whether a name has one of these extensions, ignoring case. A dot at the beginning of a name does
/// not begin an extension.
fn has_extension(name: &[u8], extensions: &[String]) -> bool {
    extensions.iter().any(|extension| {
        let Some(before) = name.len().checked_sub(extension.len() + 1) else { return false };
        let end = &name[before..];
        let is_same = || match std::str::from_utf8(&end[1..]) {
            Ok(end) => end.to_lowercase() == *extension,
            Err(_) => false,
        };
        before > 0 && end[0] == b'.' && is_same()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_follow_a_dot() {
        let has = |name: &str, extension: &str| has_extension(name.as_bytes(), &[extension.into()]);
        assert!(has("a.md", "md") && has("a.MD", "md") && has("a.tar.gz", "tar.gz"));
        assert!(has("a.tar.gz", "gz") && has("x.é", "é") && has("x.É", "é"));
        assert!(!has(".md", "md") && !has("amd", "md") && !has("md", "md") && !has("a.mdx", "md"));
    }
}
