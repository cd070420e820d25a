//! Formats the changes of one file in the same way as `diff -u`.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::commands::output::{Role as Paint, Style};
use folio_text::diff::{self, FileDiff};
use folio_text::lines::without_end;

/// Appends the changes of a file as a unified diff, with colors if the style has colors.
pub fn push_diff(file_diff: &FileDiff, path: &Path, style: Style, out: &mut Vec<u8>) {
    let plain = |path: &[u8]| path.strip_prefix(b"/").unwrap_or(path).to_vec();
    let name = plain(path.as_os_str().as_bytes());
    let new_name = file_diff.renamed.as_ref().map_or(name.clone(), |new| plain(new));
    let new =
        if file_diff.is_gone { b"/dev/null".to_vec() } else { [b"b/", &new_name[..]].concat() };
    let old = if file_diff.is_new { b"/dev/null".to_vec() } else { [b"a/", &name[..]].concat() };
    if file_diff.renamed.is_some() {
        // The format is the same as in git.
        let header = [b"diff --git ", &old[..], b" ", &new, b"\nrename from ", &name];
        let header = [&header.concat()[..], b"\nrename to ", &new_name, b"\n"].concat();
        style.paint_bytes(Paint::Heading(2), &header, out);
    }
    if file_diff.hunks.is_empty() {
        // Without this line, git assigns the next file's hunks to this file.
        if file_diff.renamed.is_some() {
            out.push(b'\n');
        }
        return;
    }
    out.reserve(file_diff.hunks.len());
    let mut header = Vec::new();
    diff::push_header(&old, &new, &mut header);
    if !style.color {
        out.extend_from_slice(&style.safe(&header));
        out.extend_from_slice(&style.safe(&file_diff.hunks));
        return;
    }
    style.paint_bytes(Paint::Heading(2), &header, out);
    for line in file_diff.hunks.split_inclusive(|&byte| byte == b'\n') {
        let (line, end) = line.split_at(without_end(line).len());
        match line.first() {
            Some(b'+') => style.paint_bytes(Paint::Added, line, out),
            Some(b'-') => style.paint_bytes(Paint::Removed, line, out),
            Some(b'@') => style.paint_bytes(Paint::Quiet, line, out),
            _ => out.extend_from_slice(&style.safe(line)),
        }
        out.extend_from_slice(end);
    }
}
