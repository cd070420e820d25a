//! Parses rows of tables in GitHub Flavored Markdown. All functions are pure functions of one line
//! without its indentation and line ending.

/// Returns the number of cells of a delimiter row, or `None` for any other line.
pub fn delimiter_cells(line: &[u8]) -> Option<usize> {
    // Few lines begin like a delimiter row.
    let first = line.iter().find(|byte| !is_space(byte))?;
    if !b"|:-".contains(first) {
        return None;
    }
    let line = trim_blanks(line);
    let line = line.strip_prefix(b"|").unwrap_or(line);
    let line = line.strip_suffix(b"|").unwrap_or(line);
    let mut cells = 0;
    for cell in line.split(|&byte| byte == b'|') {
        let cell = trim_blanks(cell);
        let cell = cell.strip_prefix(b":").unwrap_or(cell);
        let dashes = cell.strip_suffix(b":").unwrap_or(cell);
        if dashes.is_empty() || dashes.iter().any(|&byte| byte != b'-') {
            return None;
        }
        cells += 1;
    }
    Some(cells)
}

/// Whether a line continues a table: it has at least one cell.
pub fn is_row(line: &[u8]) -> bool {
    !matches!(trim_blanks(line), b"" | b"|")
}

/// Splits a row into cells. An escaped bar does not separate cells, not even in code.
pub fn cells(line: &[u8]) -> Vec<&[u8]> {
    let line = trim_blanks(line);
    let line = line.strip_prefix(b"|").unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(b'|', line) {
        if at == 0 || line[at - 1] != b'\\' {
            cells.push(trim_blanks(&line[start..at]));
            start = at + 1;
        }
    }
    let last = trim_blanks(&line[start..]);
    if !last.is_empty() {
        cells.push(last);
    }
    cells
}

/// Returns the text of a cell, with escaped bars resolved.
pub fn cell_text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).replace("\\|", "|")
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | b'\r')
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |at| at + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiter_rows_are_dashes_between_bars() {
        for (line, expected) in [
            ("|-|-|", Some(2)),
            ("-|-", Some(2)),
            ("| :-- | --: | :-: |  ", Some(3)),
            ("|---|", Some(1)),
            (":-", Some(1)),
            ("|", None),
            ("||", None),
            ("|-||", None),
            ("| - - |", None),
            ("| -: : |", None),
            ("|-|x|", None),
            ("", None),
        ] {
            assert_eq!(delimiter_cells(line.as_bytes()), expected, "{line}");
        }
    }

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let cells: Vec<String> = cells(line.as_bytes()).into_iter().map(cell_text).collect();
        assert_eq!(cells, expected, "{line}");
    }

    #[test]
    fn bars_separate_cells() {
        check("| a | b |", &["a", "b"]);
        check("a | b", &["a", "b"]);
        check("a", &["a"]);
        check("|| b", &["", "b"]);
        check("| a \\| b | c", &["a | b", "c"]);
        check("`a \\| b` | c \\\\| d", &["`a | b`", "c \\| d"]);
        check("|", &[]);
        check("| a |  ", &["a"]);
    }
}
