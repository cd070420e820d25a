//! Where few hits are in a long document: its outline around them, begun at
//! headings right before them.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::files::document::Document;
use crate::text::lines::Block;
use crate::text::markdown::scanner::resync::{Mark, ResyncSearch};
use crate::text::outline::{Outline, OutlineBuilder, Wants};

/// Sections that are kept before those that no hit needs are forgotten.
pub(super) const MAX_SECTIONS: usize = 32 * 1024;

/// A line with a hit, and where it begins in the file.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// The line's number.
    pub line: u64,
    /// Where it begins.
    pub offset: u64,
}

/// Bytes of a document that there must be for each hit: around each some are
/// read again.
const BYTES_A_HIT: u64 = 1 << 20;

/// Whether hits are few enough for it.
pub fn are_few(hits: usize, document: &Document) -> bool {
    let size = document.size().unwrap_or(0);
    document.encoding().is_utf8() && hits as u64 * BYTES_A_HIT <= size
}

/// The outline of a Markdown document around hits, in order; the document is at
/// its start. Nothing where it is better scanned as a whole.
pub fn around(
    document: &mut Document,
    wants: &Wants,
    hits: &[Hit],
) -> Result<Option<Outline>, Error> {
    let Some(marks) = marks(document, hits)? else { return Ok(None) };
    let mut outline: Option<Outline> = None;
    let mut first = 0;
    while first < hits.len() {
        let mut builder = match marks[first] {
            Some(mark) => {
                document.seek(mark.offset)?;
                OutlineBuilder::after(document.format(), wants.clone(), mark.lines)
            }
            None => {
                document.rewind()?;
                OutlineBuilder::new(document.format(), wants.clone())
            }
        };
        let mut next = first + 1;
        let mut until = Until::new(vec![hits[first].line], MAX_SECTIONS);
        document.blocks(|block| {
            builder.push(block);
            until.forget(&mut builder);
            let end = block.offset + block.bytes.len() as u64;
            while until.is_reached(&builder) {
                // A hit that was passed, or that would lead back to here.
                let is_here =
                    |&at: &usize| at < hits.len() && marks[at].is_none_or(|mark| mark.offset < end);
                if !is_here(&next) {
                    return ControlFlow::Break(());
                }
                while is_here(&next) {
                    until.add(hits[next].line);
                    next += 1;
                }
            }
            ControlFlow::Continue(())
        })?;
        first = next;
        let found = builder.finish();
        match &mut outline {
            Some(outline) => outline.append(found),
            None => outline = Some(found),
        }
    }
    Ok(outline)
}

/// For each hit the last place before it where a scan may begin; `None` for
/// those that have only the document's start.
fn marks(document: &mut Document, hits: &[Hit]) -> Result<Option<Vec<Option<Mark>>>, Error> {
    let mut search = ResyncSearch::new();
    let mut marks = Vec::with_capacity(hits.len());
    let mut is_first = true;
    let mut is_worth_it = true;
    document.blocks(|block| {
        let mut at = 0;
        is_worth_it = !search.is_dense();
        if !is_worth_it {
            return ControlFlow::Break(());
        }
        if std::mem::take(&mut is_first) {
            // It may begin with front matter, which must come as a whole.
            let end = block.offset + block.bytes.len() as u64;
            marks.extend(hits.iter().take_while(|hit| hit.offset < end).map(|_| None));
            search.push(block);
            return ControlFlow::Continue(());
        }
        while let Some(hit) = hits.get(marks.len()) {
            let part = hit.offset.saturating_sub(block.offset) as usize;
            if part >= block.bytes.len() {
                break;
            }
            search.push(&piece(block, at, part));
            at = part;
            marks.push(search.mark(hit.line - 1));
        }
        if marks.len() == hits.len() || search.is_lost() {
            return ControlFlow::Break(());
        }
        search.push(&piece(block, at, block.bytes.len()));
        ControlFlow::Continue(())
    })?;
    let is_usable = is_worth_it && marks.len() == hits.len() && !search.is_lost();
    Ok(is_usable.then_some(marks))
}

fn piece<'a>(block: &Block<'a>, from: usize, to: usize) -> Block<'a> {
    let bytes = &block.bytes[from..to];
    Block { bytes, raw: bytes, offset: block.offset + from as u64, ..*block }
}

/// When enough of a document is outlined.
pub(super) struct Until {
    lines: Vec<u64>,
    last: u64,
    open: Option<(Vec<usize>, bool)>,
    /// How many sections there may be before some are forgotten.
    most: usize,
}

impl Until {
    /// For these lines, in order.
    pub(super) fn new(lines: Vec<u64>, most: usize) -> Self {
        Self { last: lines.last().copied().unwrap_or(0), lines, open: None, most }
    }

    /// Adds a line after the others.
    pub(super) fn add(&mut self, line: u64) {
        self.lines.push(line);
        self.last = line;
        self.open = None;
    }

    /// Has a builder forget what no line needs, so that its memory does not grow
    /// with the document.
    pub(super) fn forget(&mut self, builder: &mut OutlineBuilder) {
        if builder.sections() > self.most {
            builder.keep_around(&self.lines);
            self.most = self.most.max(2 * builder.sections());
            self.open = None;
        }
    }

    /// Whether what was taken so far is enough.
    pub(super) fn is_reached(&mut self, builder: &OutlineBuilder) -> bool {
        if builder.lines() <= self.last || !builder.is_settled() {
            return false;
        }
        let (open, outside) =
            self.open.get_or_insert_with(|| builder.open_around(self.lines.iter().copied()));
        open.retain(|&index| builder.is_open(index));
        open.is_empty() && (!*outside || builder.has_begun_after(self.last))
    }
}
