//! A position in a line, in bytes and in columns. A tab advances to the next multiple of four
//! columns, and a container may consume only some columns of a tab.

/// Whether `byte` is a space or a tab.
#[inline(always)]
pub(super) fn is_space_or_tab(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Consumes the beginning of a line. The position of the next byte that is neither a space nor a
/// tab is always known.
pub(super) struct Cursor<'a> {
    line: &'a [u8],
    offset: usize,
    column: usize,
    /// Number of columns of the tab at `offset` that are already consumed.
    taken: usize,
    // Invariant: the first byte at or after `offset` that is not a space or tab, and its column.
    nonspace: usize,
    nonspace_column: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    pub(super) fn new(line: &'a [u8]) -> Self {
        let mut cursor =
            Self { line, offset: 0, column: 0, taken: 0, nonspace: 0, nonspace_column: 0 };
        cursor.find_nonspace();
        cursor
    }

    #[inline(always)]
    fn find_nonspace(&mut self) {
        let mut at = self.offset;
        let mut column = self.column;
        while let Some(&byte) = self.line.get(at) {
            match byte {
                b' ' => column += 1,
                b'\t' => column += 4 - column % 4,
                _ => break,
            }
            at += 1;
        }
        self.nonspace = at;
        self.nonspace_column = column;
    }

    /// Returns the number of columns of whitespace before the next non-blank byte.
    #[inline(always)]
    pub(super) fn indent(&self) -> usize {
        self.nonspace_column - self.column
    }

    /// Whether only spaces and tabs are left.
    #[inline(always)]
    pub(super) fn is_blank(&self) -> bool {
        self.nonspace == self.line.len()
    }

    /// Returns the next byte that is not a space or tab.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.line.get(self.nonspace).copied()
    }

    /// Returns the rest of the line, beginning at the next byte that is not a space or tab.
    #[inline(always)]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.line[self.nonspace..]
    }

    /// Returns the offset of the next byte that is not a space or tab, from the start of the line.
    #[inline(always)]
    pub(super) fn nonspace(&self) -> usize {
        self.nonspace
    }

    /// Returns the offset of the unconsumed rest of the line. If a tab is partly consumed, returns
    /// the offset after the tab (see [`Cursor::split_tab`]).
    pub(super) fn offset(&self) -> usize {
        self.offset + usize::from(self.taken > 0)
    }

    /// Returns the number of unconsumed columns of a partly consumed tab.
    pub(super) fn split_tab(&self) -> usize {
        if self.taken == 0 { 0 } else { 4 - self.column % 4 }
    }

    /// Consumes `count` columns of whitespace. The line must have that many.
    pub(super) fn take_columns(&mut self, mut count: usize) {
        while count > 0 {
            match self.line.get(self.offset) {
                Some(b'\t') => {
                    let width = 4 - self.column % 4;
                    let step = width.min(count);
                    self.column += step;
                    count -= step;
                    if step == width {
                        self.offset += 1;
                        self.taken = 0;
                    } else {
                        self.taken += step;
                    }
                }
                Some(_) => {
                    self.offset += 1;
                    self.column += 1;
                    self.taken = 0;
                    count -= 1;
                }
                None => break,
            }
        }
    }

    /// Consumes up to `count` columns of whitespace.
    pub(super) fn skip_indent(&mut self, count: usize) {
        self.take_columns(count.min(self.indent()));
    }

    /// Consumes `>` and at most one column of whitespace after it. Returns `false` if the next
    /// byte is not `>` or more than `most_indent` columns precede it.
    #[inline(always)]
    pub(super) fn take_quote_marker(&mut self, most_indent: usize) -> bool {
        if self.indent() > most_indent || self.peek() != Some(b'>') {
            return false;
        }
        self.take_marker(1);
        if self.line.get(self.offset).copied().is_some_and(is_space_or_tab) {
            self.take_columns(1);
        }
        self.find_nonspace();
        true
    }

    /// Consumes a list marker of `length` bytes and the whitespace around it. Returns the number
    /// of columns consumed after the indentation, which is the padding of the list item.
    pub(super) fn take_list_marker(&mut self, length: usize, most_indent: usize) -> usize {
        self.take_marker(length);
        self.find_nonspace();
        let spaces = self.indent();
        if self.is_blank() || spaces > most_indent.saturating_add(1) {
            // If the item is empty or begins with indented code, its content begins one column
            // after the marker.
            self.take_columns(1);
            self.find_nonspace();
            return length + 1;
        }
        self.take_columns(spaces);
        length + spaces
    }

    /// Consumes `length` bytes, beginning at the next byte that is not a space or tab, and the
    /// whitespace after them.
    pub(super) fn take_bytes(&mut self, length: usize) {
        self.take_marker(length);
        self.find_nonspace();
        self.skip_indent(usize::MAX);
    }

    /// Consumes `length` bytes, beginning at the next byte that is not a space or tab.
    fn take_marker(&mut self, length: usize) {
        self.offset = self.nonspace + length;
        self.column = self.nonspace_column + length;
        self.taken = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the indentation, the offset of the cursor, and the number of remaining columns of a
    /// partly consumed tab.
    #[track_caller]
    fn check(cursor: &Cursor<'_>, indent: usize, goes_on: (usize, usize)) {
        assert_eq!((cursor.indent(), (cursor.offset(), cursor.split_tab())), (indent, goes_on));
    }

    #[test]
    fn tabs_extend_to_the_next_tab_stop() {
        for (line, indent) in
            [("x", 0), ("  x", 2), ("\tx", 4), (" \tx", 4), ("   \t x", 5), ("\t\tx", 8), ("\t", 4)]
        {
            assert_eq!(Cursor::new(line.as_bytes()).indent(), indent, "{line:?}");
        }
    }

    #[test]
    fn a_tab_may_be_partly_consumed() {
        let mut cursor = Cursor::new(b" \t\tx");
        check(&cursor, 8, (0, 0));
        cursor.skip_indent(2);
        check(&cursor, 6, (2, 2));
        cursor.skip_indent(1);
        check(&cursor, 5, (2, 1));
        cursor.skip_indent(1);
        check(&cursor, 4, (2, 0));
        cursor.skip_indent(3);
        check(&cursor, 1, (3, 1));
        cursor.skip_indent(9);
        check(&cursor, 0, (3, 0));
    }

    #[test]
    fn a_quote_marker_includes_one_column() {
        for (line, indent, goes_on) in
            [(">x", 0, (1, 0)), ("   >  x", 1, (5, 0)), (">\tx", 2, (2, 2)), (">", 0, (1, 0))]
        {
            let mut cursor = Cursor::new(line.as_bytes());
            assert!(cursor.take_quote_marker(3), "{line:?}");
            check(&cursor, indent, goes_on);
        }
        for line in ["    > x", "\t> x", "x", ""] {
            assert!(!Cursor::new(line.as_bytes()).take_quote_marker(3), "{line:?}");
        }
    }

    #[test]
    fn a_list_item_begins_where_its_text_does() {
        for (line, length, padding, indent, goes_on) in [
            ("- x", 1, 2, 0, (2, 0)),
            (" 10.    x", 3, 7, 0, (8, 0)),
            ("-     x", 1, 2, 4, (2, 0)),
            ("-\tx", 1, 4, 0, (2, 0)),
            ("-\t\tx", 1, 2, 6, (2, 2)),
            ("-", 1, 2, 0, (1, 0)),
            ("-   ", 1, 2, 2, (2, 0)),
        ] {
            let mut cursor = Cursor::new(line.as_bytes());
            assert_eq!(cursor.take_list_marker(length, 3), padding, "{line:?}");
            check(&cursor, indent, goes_on);
        }
    }
}
