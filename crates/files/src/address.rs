//! Parses operands and lines of output that consist of a file and a part of it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::error::{Argument, Change, Code, Error, Hint};
use folio_markdown::destination::percent_decoded;
pub use folio_outline::part::Part;
use folio_text::span::{LineRange, Span, parse_line_ranges};

/// A prefix of operands such as `-:5`, which would otherwise be parsed as options. Arguments of a
/// process cannot contain NUL, so no operand of a user begins with this prefix.
pub const STDIN_MARK: &[u8] = b"\0";

/// A file, and the part of the file to process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The path of the file. `-` is standard input.
    pub path: PathBuf,
    /// The part of the file: all of it, lines, or the part to which an anchor refers.
    pub part: Part,
    /// The bytes of a line to read. An open end is `u64::MAX`. Only `read` accepts them.
    pub bytes: Option<Span>,
    /// The text after the lines, if the operand is a line of output.
    pub printed: Option<Vec<u8>>,
}

impl Address {
    /// Creates the address of a whole file.
    pub fn whole(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Whether the file is standard input.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Whether an operand is an address in standard input.
    pub fn names_stdin(operand: &OsStr) -> bool {
        Self::parse(operand, |_| false).is_ok_and(|address| address.is_stdin())
    }

    /// Parses an operand. Unlike [`Address::parse`], also accepts bytes of a line:
    /// `PATH:12@0-4096`.
    pub fn parse_to_read(operand: &OsStr, exists: impl Fn(&Path) -> bool) -> Result<Self, Error> {
        match bytes_of_line(operand).filter(|(path, ..)| path.as_os_str() == "-" || exists(path)) {
            Some((path, ..)) if exists(Path::new(operand)) && path.as_os_str() != "-" => {
                Ok(Self::whole(operand))
            }
            Some((path, lines, Some(span))) => {
                Ok(Self { path, part: Part::Lines(lines), bytes: Some(span), printed: None })
            }
            Some((path, _, None)) => {
                let message = "the range of bytes is empty: its end is not after its start";
                Err(Error::new(Code::InvalidRange, message).at(&path))
            }
            None => Self::parse(operand, exists),
        }
    }

    /// Parses an operand. If a file with exactly this name exists, the address is that file.
    /// Otherwise, the longest suffix that is a part is split off from the right. If there is no such
    /// file either, the operand may be a line of output, such as `a.md:3-9:# Title`. An invalid line
    /// range after the name of an existing file is an error.
    pub fn parse(operand: &OsStr, exists: impl Fn(&Path) -> bool) -> Result<Self, Error> {
        let bytes = operand.as_bytes();
        let operand = OsStr::from_bytes(bytes.strip_prefix(STDIN_MARK).unwrap_or(bytes));
        let whole_file = Self::whole(operand);
        if whole_file.is_stdin() || exists(&whole_file.path) {
            return Ok(whole_file);
        }
        refuse_url(operand)?;
        let bytes = operand.as_bytes();
        // If no such file exists, the longest suffix with lines is used.
        let mut candidates = line_suffixes(bytes);
        let meant = candidates.len().saturating_sub(1);
        for at in memchr::memrchr_iter(b'#', bytes) {
            candidates.extend(parse_fragment(&bytes[..at], &bytes[at + 1..]));
        }
        let existing =
            candidates.iter().position(|candidate| candidate.is_stdin() || exists(&candidate.path));
        if existing.is_none()
            && let Some((address, rest)) = Self::split_line(bytes, &exists)
            && let Some(text) = rest.strip_prefix(b":")
        {
            return Ok(address.with_printed(text));
        }
        if !candidates.is_empty() {
            return Ok(candidates.swap_remove(existing.unwrap_or(meant)));
        }
        match misspelt_range(bytes, exists) {
            Some((path, message)) => Err(Error::new(Code::InvalidRange, message).at(path)),
            None => Ok(whole_file),
        }
    }

    /// Finds the address at the beginning of a line of output: the leftmost `:N` or `:N-M` that
    /// follows the name of an existing file. The text after it may be that of any program.
    pub fn find_in_line(line: &[u8], exists: impl Fn(&Path) -> bool) -> Option<Self> {
        Self::split_line(line, &exists).map(|(address, _)| address)
    }

    /// Adds the text that was printed after the lines, unless it is blank.
    fn with_printed(self, text: &[u8]) -> Self {
        let printed = (!text.trim_ascii().is_empty()).then(|| text.to_vec());
        Self { printed, ..self }
    }

    /// Splits a line of output into the address at its beginning and the rest.
    fn split_line<'l>(line: &'l [u8], exists: &dyn Fn(&Path) -> bool) -> Option<(Self, &'l [u8])> {
        for at in memchr::memchr_iter(b':', line) {
            let rest = &line[at + 1..];
            let Some((range, length)) = leading_range(rest) else { continue };
            let ends = rest.get(length).is_none_or(|byte| !byte.is_ascii_alphanumeric());
            if at == 0 || !ends {
                continue;
            }
            let path = Path::new(OsStr::from_bytes(&line[..at]));
            if path.as_os_str() == "-" || exists(path) {
                let part = Part::Lines(vec![range]);
                let address = Self { path: path.to_owned(), part, ..Self::default() };
                return Some((address, &rest[length..]));
            }
        }
        None
    }
}

/// Returns the path in a `file:` URL, with what follows it, such as `#L10`. Returns `None` if the text
/// is not such a URL.
///
/// # Errors
///
/// Fails if the URL does not contain the absolute path of a local file.
pub fn path_of_url(text: &OsStr) -> Result<Option<OsString>, Error> {
    let bytes = text.as_bytes();
    let scheme = bytes.get(..6).filter(|scheme| scheme.eq_ignore_ascii_case(b"file:/"));
    let Some(rest) = scheme.map(|_| &bytes[5..]) else { return Ok(None) };
    let path = match rest.strip_prefix(b"//") {
        Some(rest) => rest.strip_prefix(b"localhost").unwrap_or(rest),
        None => rest,
    };
    if path.starts_with(b"/") {
        return Ok(Some(OsString::from_vec(percent_decoded(path).into_owned())));
    }
    let error = Error::usage(format!("'{}' is not the URL of a local file", text.display()));
    Err(if path.is_empty() {
        error
    } else {
        error.hint(format!("the path alone: {}", String::from_utf8_lossy(path)))
    })
}

/// Fails if an operand is a `file:` URL instead of a path.
pub fn refuse_url(operand: &OsStr) -> Result<(), Error> {
    let Some(path) = path_of_url(operand)? else { return Ok(()) };
    let message = format!("'{}' is a URL, not a path", operand.display());
    let path = Change::address(Path::new(operand), "", Path::new(&path));
    Err(Error::usage(message).hint(Hint::again([path])))
}

/// Parses `PATH:RANGES`. If the operand ends in two single numbers, also parses it as
/// `PATH:LINE:COLUMN`.
fn line_suffixes(bytes: &[u8]) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    let mut rest = bytes;
    while let Some(colon) = memchr::memrchr(b':', rest) {
        let Some(lines) = parse_ranges(&rest[colon + 1..]) else { break };
        let is_single = lines.len() == 1 && lines[0].count() == 1;
        if colon == 0 || (!found.is_empty() && !is_single) {
            break;
        }
        rest = &rest[..colon];
        let path = PathBuf::from(OsStr::from_bytes(rest));
        found.push(Address { path, part: Part::Lines(lines), ..Address::default() });
        if !is_single || found.len() == 2 {
            break;
        }
    }
    found
}

/// Parses `PATH:LINE@START-END` into the file, the line and its bytes. Returns `None` if the
/// operand has another form.
fn bytes_of_line(operand: &OsStr) -> Option<(PathBuf, Vec<LineRange>, Option<Span>)> {
    let bytes = operand.as_bytes();
    let bytes = bytes.strip_prefix(STDIN_MARK).unwrap_or(bytes);
    let colon = memchr::memrchr(b':', bytes).filter(|&colon| colon > 0)?;
    let (line, span) = std::str::from_utf8(&bytes[colon + 1..]).ok()?.split_once('@')?;
    let (start, end) = span.split_once('-')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u64>().ok()).flatten()
    };
    let line = number(line).and_then(|line| LineRange::new(line, line))?;
    let start = number(start)?;
    let end = if end.is_empty() { u64::MAX } else { number(end)? };
    let path = PathBuf::from(OsStr::from_bytes(&bytes[..colon]));
    Some((path, vec![line], (start < end).then(|| Span::new(start, end))))
}

/// Returns the error for invalid digits after the name of an existing file.
fn misspelt_range(bytes: &[u8], exists: impl Fn(&Path) -> bool) -> Option<(&Path, String)> {
    let colon = memchr::memrchr(b':', bytes)?;
    let suffix = &bytes[colon + 1..];
    let digits = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b',');
    let is_range = suffix.first().is_some_and(u8::is_ascii_digit) && suffix.iter().all(digits);
    let path = Path::new(OsStr::from_bytes(&bytes[..colon]));
    if !is_range || !exists(path) {
        return None;
    }
    parse_line_ranges(std::str::from_utf8(suffix).ok()?).err().map(|message| (path, message))
}

fn parse_ranges(bytes: &[u8]) -> Option<Vec<LineRange>> {
    parse_line_ranges(std::str::from_utf8(bytes).ok()?).ok()
}

/// Parses the fragment in `PATH#L10-L20` or `PATH#id`.
fn parse_fragment(path: &[u8], fragment: &[u8]) -> Option<Address> {
    let text = std::str::from_utf8(fragment).ok()?;
    if path.is_empty() || text.is_empty() {
        return None;
    }
    let part = match github_lines(text) {
        Some(range) => Part::Lines(vec![range]),
        None => Part::Anchor(decode_letters(text)),
    };
    Some(Address { path: PathBuf::from(OsStr::from_bytes(path)), part, ..Address::default() })
}

/// Parses the lines in a fragment such as `L10`, `L10-L20` or `L10C3-L20C5`.
pub fn github_lines(text: &str) -> Option<LineRange> {
    let line = |text: &str| -> Option<u64> {
        let digits = text.strip_prefix('L')?;
        let digits = digits.split_once('C').map_or(digits, |(line, _)| line);
        digits.parse().ok()
    };
    match text.split_once('-') {
        Some((start, end)) => LineRange::new(line(start)?, line(end)?),
        None => line(text).and_then(|number| LineRange::new(number, number)),
    }
}

/// Decodes percent-encoded letters. Links contain a non-ASCII letter in the form `%C3%A9`.
fn decode_letters(text: &str) -> String {
    let bytes = percent_decoded(text.as_bytes()).into_owned();
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Parses the range at the beginning of `bytes`, and returns it with its length.
fn leading_range(bytes: &[u8]) -> Option<(LineRange, usize)> {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<u64>().ok();
    let first = digits(bytes);
    let start = number(&bytes[..first]).filter(|&start| start > 0)?;
    if bytes.get(first) == Some(&b'-') {
        let second = digits(&bytes[first + 1..]);
        let end = number(&bytes[first + 1..first + 1 + second]);
        if let Some(range) = end.and_then(|end| LineRange::new(start, end)) {
            return Some((range, first + 1 + second));
        }
    }
    Some((LineRange::line(start), first))
}

/// Formats a path and its lines as an operand that [`Address::parse`] accepts. Adds `./` if the
/// name would otherwise be parsed as an option or a collection.
pub fn spelt(path: &Path, lines: &str) -> OsString {
    let name = path.as_os_str();
    let is_mistaken =
        name.as_bytes().starts_with(b"@") || (name.as_bytes().starts_with(b"-") && name.len() > 1);
    let mut address = OsString::from(if is_mistaken { "./" } else { "" });
    address.push(name);
    if !lines.is_empty() {
        address.push(":");
        address.push(lines);
    }
    address
}

/// Formats a path and a range as an address that [`Address::parse`] accepts.
pub fn display(path: &Path, range: Option<LineRange>) -> OsString {
    let mut address = path.argument();
    address.push(match range {
        None => String::new(),
        Some(range) if range.count() == 1 => format!(":{}", range.start()),
        Some(range) if range.end() == u64::MAX => format!(":{}-", range.start()),
        Some(range) => format!(":{}-{}", range.start(), range.end()),
    });
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exists(path: &Path) -> bool {
        ["a.md", "b:3", "c#d.md", "docs", "a b: c.md"].iter().any(|name| path == Path::new(name))
    }

    fn describe(address: &Address) -> String {
        let path = address.path.display();
        match &address.part {
            Part::Anchor(id) => format!("{path} #{id}"),
            Part::Lines(ranges) => {
                let ranges: Vec<_> = ranges
                    .iter()
                    .map(|range| format!("{}-{}", range.start(), range.end()))
                    .collect();
                format!("{path} {}", ranges.join(","))
            }
            _ => format!("{path}"),
        }
    }

    #[track_caller]
    fn check(operand: &str, expected: &str) {
        let address = Address::parse(OsStr::new(operand), exists).expect("an address");
        assert_eq!(describe(&address), expected);
    }

    #[test]
    fn urls_are_not_paths() {
        let refused = |operand: &str| {
            let error = Address::parse(OsStr::new(operand), exists).expect_err(operand);
            let hints: Vec<String> = error.hints.iter().map(Hint::line).collect();
            (error.message.to_string(), hints.join("\n"))
        };
        let expected = ("'file:///a%20b.md:3' is a URL, not a path", "'/a b.md:3'");
        let (message, hint) = refused("file:///a%20b.md:3");
        assert_eq!((message.as_str(), hint.as_str()), expected);
        assert_eq!(refused("FILE://localhost/x").1, "/x");
        let expected = ("'file://a.md' is not the URL of a local file", "the path alone: a.md");
        let (message, hint) = refused("file://a.md");
        assert_eq!((message.as_str(), hint.as_str()), expected);
        check("file:a.md", "file:a.md");
    }

    #[test]
    fn operands_are_parsed_to_files_and_parts() {
        check("a.md", "a.md");
        check("a.md:120", "a.md 120-120");
        check("a.md:120-144", "a.md 120-144");
        check("a.md:120-", &format!("a.md 120-{}", u64::MAX));
        check("a.md:5-6,8", "a.md 5-6,8-8");
        check("a.md:120:5", "a.md 120-120");
        check("a.md#L10-L20", "a.md 10-20");
        check("a.md#L10", "a.md 10-10");
        check("a.md#set-up", "a.md #set-up");
        check("a.md#caf%C3%A9", "a.md #café");
        check("-:5", "- 5-5");
        check("-", "-");
    }

    #[test]
    fn existing_files_take_precedence() {
        check("b:3", "b:3");
        check("b:3:7", "b:3 7-7");
        check("c#d.md", "c#d.md");
        check("c#d.md#x", "c#d.md #x");
        check("missing.md:4", "missing.md 4-4");
        check("missing.md", "missing.md");
        check("missing.md:0", "missing.md:0");
    }

    #[test]
    fn lines_of_output_are_addresses() {
        check("a.md:3-9:# Title", "a.md 3-9");
        check("a.md:3:text: 5", "a.md 3-3");
        check("b:3:7-9:x", "b:3 7-9");
        check("a b: c.md:7:x#y", "a b: c.md 7-7");
        check("a.md:3-9", "a.md 3-9");
        check("a.md:3text", "a.md:3text");
        check("missing.md:3:text", "missing.md:3:text");
    }

    #[test]
    fn the_text_of_a_line_of_output_is_part_of_its_address() {
        for (operand, expected) in [
            ("a.md:3:text: 5", Some("text: 5")),
            ("a.md:3-9:# Title", Some("# Title")),
            ("a.md:3:5:text", Some("5:text")),
            ("a.md:3:", None),
            ("a.md:3:5", None),
        ] {
            let address = Address::parse(OsStr::new(operand), exists).expect("an address");
            assert_eq!(address.printed.as_deref(), expected.map(str::as_bytes), "{operand}");
        }
    }

    #[test]
    fn invalid_ranges_are_refused() {
        for operand in ["a.md:0", "a.md:5-3", "a.md:1,0"] {
            let error = Address::parse(OsStr::new(operand), exists).expect_err(operand);
            assert_eq!(error.code, Code::InvalidRange);
            assert_eq!(error.path.as_deref(), Some(Path::new("a.md")));
        }
    }

    #[track_caller]
    fn check_line(line: &str, expected: Option<&str>) {
        let found = Address::find_in_line(line.as_bytes(), exists);
        assert_eq!(found.as_ref().map(describe).as_deref(), expected, "{line}");
    }

    #[test]
    fn written_addresses_can_be_parsed() {
        for (path, lines, expected) in [
            ("a.md", "", "a.md"),
            ("a.md", "3-4", "a.md:3-4"),
            ("-", "3", "-:3"),
            ("-x", "3", "./-x:3"),
            ("@x", "", "./@x"),
        ] {
            assert_eq!(spelt(Path::new(path), lines), expected);
        }
    }

    #[test]
    fn only_readers_accept_bytes_of_a_line() {
        let parse = |text: &str| Address::parse_to_read(OsStr::new(text), exists);
        for (text, path, span) in [
            ("a.md:12@0-40", "a.md", Some(Span::new(0, 40))),
            ("a.md:12@7-", "a.md", Some(Span::new(7, u64::MAX))),
            ("-:12@7-", "-", Some(Span::new(7, u64::MAX))),
            ("a.md:12", "a.md", None),
            ("gone:1@0-4", "gone:1@0-4", None),
            ("a.md:0@0-4", "a.md:0@0-4", None),
        ] {
            let address = parse(text).expect(text);
            assert_eq!((address.path.as_path(), address.bytes), (Path::new(path), span), "{text}");
        }
        assert_eq!(parse("a.md:1@5-4").expect_err("reversed").code, Code::InvalidRange);
        assert_eq!(parse("a.md:1@5-5").expect_err("empty").code, Code::InvalidRange);
        // All other commands refuse bytes of a line.
        let other = Address::parse(OsStr::new("a.md:12@0-40"), exists).expect("a path");
        assert_eq!(other.path, Path::new("a.md:12@0-40"));
    }

    #[test]
    fn lines_of_output_begin_with_addresses() {
        check_line("a.md:12:text", Some("a.md 12-12"));
        check_line("a.md:12-14:text: 5", Some("a.md 12-14"));
        check_line("a b: c.md:7:x", Some("a b: c.md 7-7"));
        check_line("b:3:4-5:x", Some("b:3 4-5"));
        check_line("a.md:12", Some("a.md 12-12"));
        check_line("no address", None);
        check_line("gone.md:12:x", None);
        check_line("a.md:12x", None);
    }
}
