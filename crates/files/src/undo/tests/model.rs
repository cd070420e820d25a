//! A model of documents of repeated blocks, in which each line has an identity. It determines where
//! the undo of a patch belongs.

use std::ops::Range;

use folio_text::edit::Edit;
use folio_text::span::Span;

/// A reproducible sequence of random numbers.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `count`.
    pub(super) fn below_count(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % count.max(1)
    }

    /// Returns true in `percent` of 100 cases.
    pub(super) fn happens(&mut self, percent: usize) -> bool {
        self.below_count(100) < percent
    }
}

/// A line, which keeps its identity when it is changed, moved, deleted and restored.
#[derive(Clone, Debug)]
struct Line {
    id: usize,
    text: String,
    is_alive: bool,
    /// The time at which the line was first written.
    born: usize,
}

/// Lines with the texts that they had: the identity of each line, and its text.
type Texts = Vec<(usize, String)>;

/// What a patch did. An undo exchanges old and new.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Changed lines.
    Set { old: Texts, new: Texts },
    /// Replaced lines by others.
    Replace { old: Texts, new: Texts },
}

/// A patch, or its undo.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub(super) kind: Kind,
    time: usize,
    /// The two lines before and after each part of the new text.
    context: Vec<(Texts, Texts)>,
    /// Whether a part of the text also occurred elsewhere with the same context.
    had_others: bool,
    /// The texts before and after.
    texts: (String, String),
}

/// The document.
pub(super) struct Model {
    lines: Vec<Line>,
    next: usize,
    time: usize,
    /// The time of the last change by another program.
    others: usize,
}

impl Model {
    /// Creates a random document.
    pub(super) fn new(chance: &mut Chance) -> Self {
        let mut model = Self { lines: Vec::new(), next: 0, time: 1, others: 0 };
        let names = chance.happens(50);
        let extra = ["  debug: true\n", "  debug: true\n", "  note: a\n", "\n"];
        let extra = extra[chance.below_count(extra.len())];
        for block in 0..3 + chance.below_count(4) {
            let name = if names { block } else { 0 };
            let mut texts = vec![format!("- name: {name}\n"), "  image: x\n".into()];
            texts.push("  port: 80\n".into());
            if chance.happens(50) {
                texts.push(extra.into());
            }
            texts.push("  end: 1\n".into());
            let lines = model.new_lines(texts);
            model.lines.extend(lines);
        }
        model
    }

    fn new_lines(&mut self, texts: Vec<String>) -> Vec<Line> {
        let line = |text| {
            self.next += 1;
            Line { id: self.next, text, is_alive: true, born: self.time }
        };
        texts.into_iter().map(line).collect()
    }

    pub(super) fn text(&self) -> String {
        self.living_lines().map(|line| line.text.as_str()).collect()
    }

    fn living_lines(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| line.is_alive)
    }

    fn count(&self) -> usize {
        self.living_lines().count()
    }

    /// Returns the index of the living line with this number.
    fn index(&self, number: usize) -> usize {
        let mut alive = (0..self.lines.len()).filter(|&index| self.lines[index].is_alive);
        alive.nth(number).unwrap_or(self.lines.len())
    }

    fn offset(&self, number: usize) -> u64 {
        self.living_lines().take(number).map(|line| line.text.len() as u64).sum()
    }

    fn find(&self, id: usize) -> usize {
        self.lines.iter().position(|line| line.id == id).expect("known")
    }

    fn numbers(&self, texts: &Texts) -> Option<Vec<usize>> {
        let number = |(id, text): &(usize, String)| {
            let at = self.living_lines().position(|line| line.id == *id);
            at.filter(|&at| self.living_lines().nth(at).is_some_and(|line| line.text == *text))
        };
        texts.iter().map(number).collect()
    }

    /// Makes a random patch. Returns its edits.
    pub(super) fn patch(&mut self, chance: &mut Chance) -> (Patch, Vec<Edit>) {
        let before = self.text();
        self.time += 1;
        let count = self.count();
        let at = chance.below_count(count);
        let length = if chance.happens(70) { 1 } else { 2 }.min(count - at);
        let (kind, edits) = match chance.below_count(8) {
            0..3 => self.replace(at, length.min(count - 1), Vec::new()),
            3 | 4 => self.set_values(chance),
            5 => {
                let texts = self.some_texts(chance);
                self.replace(chance.below_count(count + 1), 0, texts)
            }
            _ => {
                let mut texts = self.some_texts(chance);
                let old = self.texts(at, length);
                // A line is not replaced by an equal one.
                texts.retain(|text| old.iter().all(|(_, old)| old != text));
                self.replace(at, length.min(count - 1), texts)
            }
        };
        (self.with_context(kind, before), edits)
    }

    fn some_texts(&mut self, chance: &mut Chance) -> Vec<String> {
        let texts =
            ["  debug: true\n", "  port: 80\n", "  note: b\n", "  end: 1\n", "  image: y\n"];
        (0..=chance.below_count(2))
            .map(|_| texts[chance.below_count(texts.len())].to_owned())
            .collect()
    }

    fn texts(&self, at: usize, length: usize) -> Texts {
        let lines = self.living_lines().skip(at).take(length);
        lines.map(|line| (line.id, line.text.clone())).collect()
    }

    fn replace(&mut self, at: usize, length: usize, texts: Vec<String>) -> (Kind, Vec<Edit>) {
        let start = self.offset(at);
        let span = Span::new(start, self.offset(at + length));
        let edit = Edit::new(span, texts.concat());
        let old = self.texts(at, length);
        let after = match length {
            0 => self.index(at),
            _ => self.index(at + length - 1) + 1,
        };
        for (id, _) in &old {
            let index = self.find(*id);
            self.lines[index].is_alive = false;
        }
        let new = self.new_lines(texts);
        let kept = new.iter().map(|line| (line.id, line.text.clone())).collect();
        self.lines.splice(after..after, new);
        (Kind::Replace { old, new: kept }, vec![edit])
    }

    /// Changes the values of one or two lines.
    fn set_values(&mut self, chance: &mut Chance) -> (Kind, Vec<Edit>) {
        let (mut old, mut new, mut edits) = (Texts::new(), Texts::new(), Vec::new());
        for _ in 0..=usize::from(chance.happens(25)) {
            let at = chance.below_count(self.count());
            let Some((id, text)) = self.texts(at, 1).pop() else { break };
            let Some(value) = text.find(": ").map(|at| at + 2) else { continue };
            if old.iter().any(|(other, _)| *other == id) {
                continue;
            }
            let start = self.offset(at);
            let span = Span::new(start + value as u64, start + text.len() as u64 - 1);
            let content = ["81", "82", "x", "true"][chance.below_count(4)];
            edits.push(Edit::new(span, content));
            new.push((id, format!("{}{content}\n", &text[..value])));
            old.push((id, text));
        }
        for (id, text) in &new {
            let index = self.find(*id);
            self.lines[index].text = text.clone();
        }
        (Kind::Set { old, new }, edits)
    }

    /// Changes the document as another program does.
    pub(super) fn change(&mut self, chance: &mut Chance) {
        let before = self.lines.clone();
        self.time += 1;
        self.change_lines(chance);
        if text_of(&before) == self.text() { self.lines = before } else { self.others = self.time }
    }

    fn change_lines(&mut self, chance: &mut Chance) {
        let count = self.count();
        let at = chance.below_count(count);
        let length = 1 + chance.below_count(6);
        match chance.below_count(6) {
            0 | 1 => {
                let texts = self.some_texts(chance);
                self.replace(at, 0, texts);
            }
            2 if count > 8 => {
                self.replace(at, length.min(count - at), Vec::new());
            }
            3 => {
                // A copy next to the original could not be distinguished from it.
                let texts = self.texts(at, length).into_iter().map(|(_, text)| text).collect();
                let to = chance.below_count(count + 1);
                if to + 3 < at || to > at + length + 3 {
                    self.replace(to, 0, texts);
                }
            }
            4 => {
                // Deleted lines move along with their neighbors.
                let end = self.index(at + length.min(count - at) - 1);
                let moved: Vec<Line> = self.lines.drain(self.index(at)..=end).collect();
                let to = self.index(chance.below_count(self.count() + 1));
                self.lines.splice(to..to, moved);
            }
            _ => {
                self.set_values(chance);
            }
        }
    }

    fn context(&self, patch: &Patch) -> Vec<(Texts, Texts)> {
        let around = |first: usize, after: usize| {
            let start = first.saturating_sub(2);
            (self.texts(start, first - start), self.texts(after, 2))
        };
        match &patch.kind {
            Kind::Set { new, .. } => {
                let numbers = self.numbers(new).unwrap_or_default();
                numbers.into_iter().map(|at| around(at, at + 1)).collect()
            }
            Kind::Replace { old, new } => {
                let numbers = self.numbers(new).unwrap_or_default();
                let first = match (numbers.first(), old.first()) {
                    (Some(first), _) => *first,
                    (None, Some((id, _))) => {
                        let index = self.find(*id);
                        self.lines[..index].iter().filter(|line| line.is_alive).count()
                    }
                    (None, None) => 0,
                };
                vec![around(first, first + new.len())]
            }
        }
    }

    /// Returns the texts that an undo of a patch may result in. There is none if the text of the
    /// patch has changed, and several if other lines were inserted at its place.
    pub(super) fn undone_texts(&self, patch: &Patch) -> Vec<String> {
        match &patch.kind {
            Kind::Set { old, new } => {
                let Some(numbers) = self.numbers(new) else { return Vec::new() };
                let mut texts: Vec<&str> =
                    self.living_lines().map(|line| line.text.as_str()).collect();
                numbers.iter().zip(old).for_each(|(&at, (_, text))| texts[at] = text);
                vec![texts.concat()]
            }
            Kind::Replace { old, new } => {
                let Some(numbers) = self.numbers(new) else { return Vec::new() };
                if numbers.windows(2).any(|pair| pair[1] != pair[0] + 1) {
                    return Vec::new();
                }
                let ranges: Vec<Range<usize>> = match (numbers.first(), numbers.last()) {
                    (Some(&first), Some(&last)) => std::iter::once(first..last + 1).collect(),
                    _ => self.places(old, patch.time).map(|at| at..at).collect(),
                };
                let old: String = old.iter().map(|(_, text)| text.as_str()).collect();
                let texts: Vec<&str> = self.living_lines().map(|line| line.text.as_str()).collect();
                let text = |range: Range<usize>| {
                    [texts[..range.start].concat(), old.clone(), texts[range.end..].concat()]
                        .concat()
                };
                let mut all: Vec<String> = ranges.into_iter().map(text).collect();
                all.dedup();
                all
            }
        }
    }

    /// Returns the numbers of the lines before which deleted lines may be restored: between the
    /// nearest lines that were there at the time.
    fn places(&self, old: &Texts, time: usize) -> impl Iterator<Item = usize> {
        let is_old = |line: &Line| line.is_alive && line.born < time;
        let first = self.find(old[0].0);
        let last = self.find(old[old.len() - 1].0);
        let start = self.lines[..first].iter().rposition(is_old).map_or(0, |at| at + 1);
        let end =
            self.lines[last..].iter().position(is_old).map_or(self.lines.len(), |at| last + at);
        let number = |index: usize| self.lines[..index].iter().filter(|line| line.is_alive).count();
        number(start)..=number(end.max(start))
    }

    /// Whether the place of a patch can be recognized: there is one result, and the text either was
    /// changed only by patches since, or occurs only once with its context, now and at the time.
    pub(super) fn is_clear(&self, patch: &Patch) -> bool {
        let is_followed = self.others < patch.time;
        self.undone_texts(patch).len() == 1
            && (is_followed || !patch.had_others && self.is_single(patch))
    }

    /// Whether each part of a patch occurs exactly once, with its context.
    pub(super) fn is_single(&self, patch: &Patch) -> bool {
        let new: Vec<Texts> = match &patch.kind {
            Kind::Set { new, .. } => new.iter().map(|line| vec![line.clone()]).collect(),
            Kind::Replace { new, .. } => vec![new.clone()],
        };
        let text = self.text();
        new.into_iter().zip(&patch.context).all(|(new, (before, after))| {
            let lines = [before.clone(), new, after.clone()].concat();
            let Some(numbers) = self.numbers(&lines) else { return false };
            let block: String = lines.into_iter().map(|(_, text)| text).collect();
            let starts = (0..text.len()).filter(|&at| text[at..].starts_with(&block));
            before.len() == 2
                && after.len() == 2
                && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
                && starts.count() == 1
        })
    }

    /// Whether the text of a patch and its context are somewhere in the document.
    /// If it is not the place of the patch, another program has made an equal one.
    pub(super) fn has_copy(&self, patch: &Patch) -> bool {
        let new: Vec<Texts> = match &patch.kind {
            Kind::Set { new, .. } => new.iter().map(|line| vec![line.clone()]).collect(),
            Kind::Replace { new, .. } => vec![new.clone()],
        };
        let text = self.text();
        new.into_iter().zip(&patch.context).all(|(new, (before, after))| {
            // One line on each side is compared.
            let before = &before[before.len().saturating_sub(1)..];
            let lines = [before, &new, &after[..after.len().min(1)]].concat();
            let block: String = lines.into_iter().map(|(_, text)| text).collect();
            text.contains(&block)
        })
    }

    /// Whether an undo restored exactly the text before a patch from the text after it. In this
    /// case it does not matter which of several equal lines were changed.
    pub(super) fn is_exact(&self, patch: &Patch, text: &str) -> bool {
        patch.texts.0 == text && patch.texts.1 == self.text()
    }

    /// Records the context of a patch again after a later patch, unless another program has changed
    /// the document in between.
    pub(super) fn follow(&self, patch: &mut Patch) {
        if self.others < patch.time && !self.undone_texts(patch).is_empty() {
            patch.context = self.context(patch);
        }
    }

    fn with_context(&self, kind: Kind, before: String) -> Patch {
        let texts = (before, self.text());
        let mut patch =
            Patch { kind, time: self.time, context: Vec::new(), had_others: false, texts };
        patch.context = self.context(&patch);
        patch.had_others = !self.is_single(&patch);
        patch
    }

    /// Undoes a patch, of which the result is `text`. Returns the patch that redoes it.
    pub(super) fn undo(&mut self, patch: &Patch, text: &str) -> Patch {
        let before = self.text();
        self.time += 1;
        let kind = match &patch.kind {
            Kind::Set { old, new } => {
                for (id, text) in old {
                    let index = self.find(*id);
                    self.lines[index].text = text.clone();
                }
                Kind::Set { old: new.clone(), new: old.clone() }
            }
            Kind::Replace { old, new } => {
                self.exchange(old, new, patch.time, text);
                Kind::Replace { old: new.clone(), new: old.clone() }
            }
        };
        self.with_context(kind, before)
    }

    /// Deletes the lines `new`, and restores the lines `old`, such that the result is `text`.
    fn exchange(&mut self, old: &Texts, new: &Texts, time: usize, text: &str) {
        let find = |lines: &[Line], id: usize| lines.iter().position(|line| line.id == id);
        let places: Vec<usize> = match (old.first(), new.first()) {
            (_, Some((id, _))) => vec![self.find(*id)],
            (Some((id, _)), None) => {
                let places = self.places(old, time).map(|number| self.index(number));
                [self.find(*id)].into_iter().chain(places).collect()
            }
            (None, None) => Vec::new(),
        };
        let is_of = |lines: &Texts, id: usize| lines.iter().any(|(other, _)| *other == id);
        self.lines.iter_mut().for_each(|line| line.is_alive &= !is_of(new, line.id));
        let line_index = |id: usize| find(&self.lines, id).expect("known");
        let mut block = match (old.first(), old.last()) {
            (Some((first, _)), Some((last, _))) => {
                self.lines[line_index(*first)..=line_index(*last)].to_vec()
            }
            _ => Vec::new(),
        };
        // Deleted lines between the restored ones stay between them.
        block.retain(|line| !line.is_alive && !is_of(new, line.id));
        let ids: Vec<usize> = block.iter().map(|line| line.id).collect();
        for (id, text) in old {
            let line = &mut block[ids.iter().position(|other| other == id).expect("a line")];
            (line.text, line.is_alive) = (text.clone(), true);
        }
        let restored = places.into_iter().find_map(|place| {
            let mut lines = self.lines.clone();
            let after = lines.split_off(place.min(lines.len()));
            let [before, after] = [lines, after].map(|mut part| {
                part.retain(|line| !ids.contains(&line.id));
                part
            });
            let lines = [before, block.clone(), after].concat();
            (text_of(&lines) == text).then_some(lines)
        });
        self.lines = restored.expect("one of the places results in the text");
    }
}

fn text_of(lines: &[Line]) -> String {
    lines.iter().filter(|line| line.is_alive).map(|line| line.text.as_str()).collect()
}
