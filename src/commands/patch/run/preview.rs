//! Summarizes the diff of a dry run for callers of tools, if it is long.

use crate::commands::file_diff::push_diff;
use crate::commands::output::{Style, counted};
use crate::commands::patch::report::FileFacts;
use crate::commands::patch::report::text::push_address;
use folio_text::diff::FileDiff;

/// Maximum number of changes that a summary contains.
const SHOWN: usize = 3;

/// Maximum size in bytes of a diff that is printed in full, and of the changes in a summary.
const SHORT: usize = 2048;

/// Maximum size in bytes of the hunks of one file that are kept for a summary.
pub(super) const KEPT: usize = 64 * 1024;

/// Returns a line with the number of changes for each file, followed by the first short changes.
/// Returns `None` if the diff is so short that all of it can be printed.
pub(super) fn summary(files: &[FileFacts], style: Style) -> Option<Vec<u8>> {
    let diffs = || files.iter().filter_map(|facts| Some((facts, facts.diff.as_ref()?)));
    let bytes: usize = diffs().map(|(_, diff)| diff.hunks.len()).sum();
    let changes: u64 = diffs().map(|(_, diff)| diff.changes).sum();
    let is_cut = diffs().any(|(_, diff)| diff.is_cut);
    if !is_cut && (bytes <= SHORT || changes <= SHOWN as u64) {
        return None;
    }
    let mut out = Vec::new();
    for (facts, diff) in diffs() {
        push_address(&facts.path, None, style, &mut out);
        if let Some(to) = &facts.moved_to {
            out.extend_from_slice(b" to ");
            push_address(to, None, style, &mut out);
        }
        let changes = counted(diff.changes, "change");
        let counts = format!(": {changes} (+{} -{})\n", diff.added, diff.removed);
        out.extend_from_slice(counts.as_bytes());
    }
    let (mut left, mut room) = (SHOWN, SHORT);
    for (facts, diff) in diffs() {
        let fits = |hunk: &&[u8]| {
            let fits = left > 0 && hunk.len() <= room;
            if fits {
                (left, room) = (left - 1, room - hunk.len());
            }
            fits
        };
        let hunks: Vec<&[u8]> = diff.each_hunk().filter(fits).collect();
        if !hunks.is_empty() {
            let shown = FileDiff { hunks: hunks.concat(), ..diff.clone() };
            push_diff(&shown, &facts.path, style, &mut out);
        }
    }
    Some(out)
}
