//! Summarizes the diff of a dry run for callers of tools, if it is long.

use crate::commands::output::{Style, counted};
use crate::commands::patch::report::FileFacts;
use crate::commands::patch::report::text::push_address;
use crate::text::diff::FileDiff;

/// Maximum number of changes that a summary contains.
const SHOWN: usize = 3;

/// Maximum size in bytes of a diff that is printed in full, and of the changes in a summary.
const SHORT: usize = 2048;

/// Returns a line with the number of changes for each file, followed by the first short changes.
/// Returns `None` if the diff is so short that all of it can be printed.
pub(super) fn summary(files: &[FileFacts], style: Style) -> Option<Vec<u8>> {
    let diffs = || files.iter().filter_map(|facts| Some((facts, facts.diff.as_ref()?)));
    let bytes: usize = diffs().map(|(_, diff)| diff.hunks.len()).sum();
    let changes: usize = diffs().map(|(_, diff)| diff.each_hunk().count()).sum();
    if bytes <= SHORT || changes <= SHOWN {
        return None;
    }
    let mut out = Vec::new();
    for (facts, diff) in diffs() {
        let lines = |mark: u8| {
            let lines = diff.hunks.split(|&byte| byte == b'\n');
            lines.filter(|line| line.first() == Some(&mark)).count()
        };
        push_address(&facts.path, None, style, &mut out);
        if let Some(to) = &facts.moved_to {
            out.extend_from_slice(b" to ");
            push_address(to, None, style, &mut out);
        }
        let changes = counted(diff.each_hunk().count() as u64, "change");
        let counts = format!(": {changes} (+{} -{})\n", lines(b'+'), lines(b'-'));
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
            shown.push(&facts.path, style, &mut out);
        }
    }
    Some(out)
}
