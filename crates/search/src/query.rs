//! Parses queries: words, phrases, excluded words, and conditions on titles and paths.

use std::ops::Range;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::analyser;
use folio_files::error::{Error, Hint};
use folio_outline::format::{Feature, Format};

/// A parsed query.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The query as the user typed it.
    pub source: String,
    /// The words to find, in order.
    pub words: Vec<QueryWord>,
    /// Phrases that sections must contain.
    pub phrases: Vec<Vec<String>>,
    /// The parts of each word with dots, such as `1.2.3`, in order.
    pub dotted: Vec<Vec<String>>,
    /// Words and phrases that sections must not contain.
    pub excluded: Vec<Vec<String>>,
    /// Words that the document's title must contain.
    pub titles: Vec<String>,
    /// Lists of words. The document's title must not contain all words of a list.
    pub excluded_titles: Vec<Vec<String>>,
    /// Globs, one of which must match the document's path.
    pub paths: Vec<GlobMatcher>,
    /// Globs that must not match the document's path.
    pub excluded_paths: Vec<GlobMatcher>,
    /// The heading of a section that must contain the results.
    pub inside: Option<String>,
    /// The text from which the vector is computed.
    pub text: String,
}

/// A word to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWord {
    /// The word in lower case, not stemmed.
    pub text: String,
    /// Whether the word is a whole identifier that follows its parts.
    pub is_whole: bool,
    /// The position of the word in the query. `None` if the word is quoted.
    pub place: Option<Range<usize>>,
}

/// A part of a query: a prefix and its text.
struct Piece<'a> {
    prefix: Prefix,
    text: &'a str,
    is_quoted: bool,
    /// The length of the rest of the query after this piece.
    before_end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    Minus,
    Title,
    Path,
    MinusTitle,
    MinusPath,
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// Fails if the query contains nothing to search for, or an invalid condition.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let mut query = Self { source: source.to_owned(), ..Self::default() };
        let mut rest = file_name(source).unwrap_or(source).trim_start();
        if rest.is_empty() {
            return Err(Error::usage("the query is empty"));
        }
        while !rest.is_empty() {
            let (piece, remaining) = split_piece(rest);
            query.add_piece(&piece)?;
            rest = remaining.trim_start();
        }
        let has_condition = !query.titles.is_empty() || !query.paths.is_empty();
        if query.words.is_empty() && !has_condition {
            let excludes = !query.excluded.is_empty()
                || !query.excluded_titles.is_empty()
                || !query.excluded_paths.is_empty();
            let message =
                if excludes { "the query only excludes words" } else { "the query has no words" };
            let hint =
                Hint::command("grep", ["-F", "--", source]).why("lines that contain the text");
            return Err(Error::usage(message).hint(hint));
        }
        Ok(query)
    }

    fn add_piece(&mut self, piece: &Piece<'_>) -> Result<(), Error> {
        let found = words_of(piece.text);
        let plain = || found.iter().filter(|word| !word.is_whole).map(|word| word.text.clone());
        match piece.prefix {
            Prefix::Minus if found.is_empty() => {}
            Prefix::Minus => self.excluded.push(plain().collect()),
            Prefix::Title | Prefix::MinusTitle if found.is_empty() => {
                let hint = Hint::from("title:install, or title:\"quick start\"");
                return Err(Error::usage("title: expected a word").hint(hint));
            }
            Prefix::Title => self.titles.extend(plain()),
            Prefix::MinusTitle => self.excluded_titles.push(plain().collect()),
            Prefix::Path | Prefix::MinusPath if piece.text.is_empty() => {
                let hint = Hint::from("path:guide/**, or path:*.md");
                return Err(Error::usage("path: expected a glob").hint(hint));
            }
            Prefix::Path => self.paths.push(glob(piece.text)?),
            Prefix::MinusPath => self.excluded_paths.push(glob(piece.text)?),
            Prefix::None => {
                match piece.is_quoted {
                    true if !found.is_empty() => self.phrases.push(plain().collect()),
                    true => {}
                    false => self.dotted.extend(dotted_words(piece.text, &found)),
                }
                let start = self.source.len() - piece.before_end - piece.text.len();
                self.words.extend(found.into_iter().map(|word| {
                    let place = word.place.filter(|_| !piece.is_quoted);
                    let place = place.map(|place| start + place.start..start + place.end);
                    QueryWord { place, ..word }
                }));
                self.text.push_str(piece.text);
                self.text.push(' ');
            }
        }
        Ok(())
    }

    /// Removes stop words, unless the query consists only of stop words.
    pub fn without_stop_words(mut self, is_stop_word: impl Fn(&str) -> bool) -> Self {
        if !self.words.iter().all(|word| is_stop_word(&word.text)) {
            self.words.retain(|word| !is_stop_word(&word.text));
        }
        self
    }
}

/// Splits a text into words.
fn words_of(text: &str) -> Vec<QueryWord> {
    let mut found = Vec::new();
    analyser::words(text, &mut |word| {
        if !word.text.is_empty() {
            let place = Some(word.start..word.end);
            found.push(QueryWord { text: word.text.to_owned(), is_whole: word.is_whole, place });
        }
    });
    found
}

/// Returns the parts of each word with dots. In `v1.2`, the letter is not a part.
fn dotted_words(text: &str, words: &[QueryWord]) -> Vec<Vec<String>> {
    let parts: Vec<(&str, Range<usize>)> = words
        .iter()
        .filter(|word| !word.is_whole)
        .filter_map(|word| Some((word.text.as_str(), word.place.clone()?)))
        .collect();
    let is_joined = |left: &(&str, Range<usize>), right: &(&str, Range<usize>)| {
        matches!(text.get(left.1.end..right.1.start), Some("" | "." | "-" | "_"))
    };
    let dotted = parts.chunk_by(is_joined).filter_map(|run| {
        let is_version = |parts: &[(&str, _)]| {
            parts.first().is_some_and(|(part, _)| part.starts_with(|c: char| c.is_ascii_digit()))
        };
        let run = match run {
            [("v", _), version @ ..] if is_version(version) => version,
            run => run,
        };
        let source = text.get(run.first()?.1.start..run.last()?.1.end)?;
        // `e.g.` is an abbreviation.
        let is_word = run.iter().any(|(part, _)| part.len() > 1 || part.as_bytes()[0] < b'a');
        (is_word && source.contains('.'))
            .then(|| run.iter().map(|(part, _)| (*part).to_owned()).collect())
    });
    dotted.collect()
}

/// Splits the first piece from a text.
fn split_piece(text: &str) -> (Piece<'_>, &str) {
    let prefixes = [
        ("title:", Prefix::Title),
        ("path:", Prefix::Path),
        ("-title:", Prefix::MinusTitle),
        ("-path:", Prefix::MinusPath),
        ("-", Prefix::Minus),
    ];
    let found = prefixes.into_iter().find_map(|(sign, prefix)| {
        let rest = text.strip_prefix(sign)?;
        // `--flag`, `- item` and `TypeError: path: a` are text.
        let is_text = rest.is_empty()
            || rest.starts_with(char::is_whitespace)
            || prefix == Prefix::Minus && rest.starts_with('-');
        (!is_text).then_some((prefix, rest))
    });
    let (prefix, rest) = found.unwrap_or((Prefix::None, text));
    if let Some((inner, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        let before_end = after.len() + 1;
        return (Piece { prefix, text: inner, is_quoted: true, before_end }, after);
    }
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (text, after) = rest.split_at(end);
    (Piece { prefix, text, is_quoted: false, before_end: after.len() }, after)
}

/// Returns the name of a document without its extension, if the query is only its path.
fn file_name(query: &str) -> Option<&str> {
    let query = query.trim();
    let path = Path::new(query);
    let is_document = Format::by_name(path.file_name()?.to_str()?)?.has(Feature::Headings);
    let is_path = !query.contains(|character: char| character.is_whitespace() || character == '"');
    path.file_stem()?
        .to_str()
        .filter(|_| is_document && is_path && !query.trim_start_matches('-').starts_with("path:"))
}

/// Compiles a glob. A glob without a slash matches file names in any directory.
pub fn glob(text: &str) -> Result<GlobMatcher, Error> {
    let pattern = if text.contains('/') { text.to_owned() } else { format!("**/{text}") };
    let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
    let glob = glob.map_err(|error| Error::usage(format!("glob '{text}': {}", error.kind())))?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_files::error::Code;

    fn parse(source: &str) -> Result<Query, Error> {
        let english = analyser::Analyser::new(super::super::language::ENGLISH).expect("a language");
        Ok(Query::parse(source)?.without_stop_words(|word| english.is_stop_word(word)))
    }

    #[track_caller]
    fn check(source: &str, words: &str, phrases: &str, excluded: &str) {
        let query = parse(source).expect("a query");
        let texts: Vec<&str> = query.words.iter().map(|word| word.text.as_str()).collect();
        let all = |lists: &[Vec<String>]| {
            lists.iter().map(|list| list.join(" ")).collect::<Vec<_>>().join("|")
        };
        assert_eq!(texts.join(" "), words, "{source}");
        assert_eq!(all(&query.phrases), phrases, "{source}");
        assert_eq!(all(&query.excluded), excluded, "{source}");
    }

    #[test]
    fn queries_are_words_phrases_and_conditions() {
        check("How do I install it", "install", "", "");
        check("the", "the", "", "");
        check("\"quick start\" guide", "quick start guide", "quick start", "");
        check("cats -dogs -\"big cats\"", "cats", "", "dogs|big cats");
        check("an --dry-run", "dry run dryrun", "", "");
        check("5\" disk", "5 disk", "", "");
        check("\"never closed", "never closed", "", "");
        check("a - b", "b", "", "");
        check("日本語", "日本 本語", "", "");
        let dotted = |source: &str| parse(source).expect("a query").dotted;
        assert_eq!(dotted("new in v0.10.2-rc"), [["0", "10", "2", "rc"]]);
        assert!(dotted("uses, e.g., U.S. words").is_empty());
        assert_eq!(dotted("fs.read, dry-run e \"1.2\""), [["fs", "read"]]);
        check("TypeError: path: must be a title:", "type error typeerror path must title", "", "");
        let query = parse("a -title:\"old guide\" -path:*.txt").expect("a query");
        assert_eq!(query.excluded_titles, [["old", "guide"]]);
        assert!(query.excluded_paths[0].is_match("a/b.txt") && query.excluded.is_empty());
        let query = parse("title:Install path:guide/*.md x").expect("a query");
        assert_eq!(query.titles, ["install"]);
        assert!(query.paths[0].is_match("guide/a.md") && !query.paths[0].is_match("guide/b/a.md"));
        assert!(parse("path:*.md").expect("a query").paths[0].is_match("guide/a.md"));
    }

    #[test]
    fn queries_without_words_are_refused() {
        let empty = ["", "  ", "?!", "title:\"\"", "-title:?", "path:\"\"", "-x", "path:[", "\"\""];
        for source in empty.into_iter().chain(["-path:*.md", "-title:x", "-path:["]) {
            assert_eq!(parse(source).expect_err(source).code, Code::InvalidArgument);
        }
        assert!(parse(&"word ".repeat(10_000)).is_ok());
    }
}
