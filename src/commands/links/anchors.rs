//! Checks whether a fragment exists in a file: an anchor, a line number, or the top of a page.

use std::path::Path;

use super::similar::is_only_slip;
use super::targets::Places;
use super::{CheckResult, Reason, Suggestion};
use folio_files::address::github_lines;
use folio_markdown::destination::{ids_of, percent_decoded, rewritten_fragment};
use folio_markdown::slug::slug;
use folio_text::fuzzy::name::nearest;

/// Returns the last line of a fragment such as `L10-L20`.
pub(super) fn last_line(fragment: &[u8]) -> Option<u64> {
    let fragment = std::str::from_utf8(fragment).ok()?;
    github_lines(fragment).map(|lines| lines.end())
}

pub(super) fn check_fragment(
    places: &Places,
    file: &Path,
    written: &[u8],
    fragment: &[u8],
) -> CheckResult {
    let decoded = percent_decoded(fragment);
    let id = String::from_utf8_lossy(&decoded);
    if ids_of(fragment).iter().any(|id| places.has_anchor(id)) {
        return CheckResult::Fine;
    }
    if let Some(last) = last_line(&decoded) {
        return match places.lines {
            Some(lines) if lines < last => CheckResult::Broken(Reason::NoLine(lines), None),
            _ => CheckResult::Fine,
        };
    }
    // GitHub shows a directory's README under the anchor `#readme`.
    let is_readme = file.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("readme"));
    let Some(anchors) = &places.anchors else { return CheckResult::Fine };
    if places.includes_others {
        return CheckResult::Unchecked;
    }
    if is_readme && id == "readme" {
        return CheckResult::Fine;
    }
    let lower = id.to_lowercase();
    let suggest = |anchor: &str, is_sure| {
        Some(Suggestion { text: rewritten_fragment(written, anchor), is_sure })
    };
    let mut same_letters = anchors.iter().filter(|anchor| anchor.to_lowercase() == lower);
    if let Some(anchor) = same_letters.next() {
        return CheckResult::Broken(
            Reason::OtherCaseOfAnchor,
            suggest(anchor, same_letters.next().is_none()),
        );
    }
    let expected_slug = slug(&id);
    if places.has_anchor(&expected_slug) {
        return CheckResult::Broken(Reason::NoAnchor, suggest(&expected_slug, true));
    }
    let names = || anchors.iter().map(|anchor| &**anchor);
    let nearest = nearest(&id, names(), 1).first().map(|&index| &*anchors[index]);
    let nearest = nearest.and_then(|near| suggest(near, is_only_slip(&id, near, names())));
    CheckResult::Broken(Reason::NoAnchor, nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_markdown::destination::split_destination;
    use folio_outline::format::Format;

    fn places() -> Places {
        let text = "# Set Up\n## A\n## A\n<a id=\"Own\"></a>\n## B {#named}\n\n# user-content-x\n";
        Places::from_text(text.as_bytes(), Format::Markdown, None)
    }

    #[track_caller]
    fn check(written: &str, expected: Option<(Reason, Option<&str>)>) {
        let (_, fragment) = split_destination(written.as_bytes());
        let fragment = fragment.expect("a fragment");
        let found = match check_fragment(&places(), Path::new("a.md"), written.as_bytes(), fragment)
        {
            CheckResult::Broken(reason, suggestion) => {
                Some((reason, suggestion.map(|near| near.text)))
            }
            _ => None,
        };
        let expected = expected.map(|(reason, near)| (reason, near.map(|near| near.into())));
        assert_eq!(found, expected, "{written}");
    }

    #[test]
    fn fragments_are_slugs_ids_and_lines() {
        for fine in [
            "#set-up",
            "#a",
            "#a-1",
            "#Own",
            "#named",
            "x#set%2Dup",
            "#user-content-set-up",
            "#x",
            "#L7",
            "#L1-L7",
        ] {
            check(fine, None);
        }
        check("#set-up-1", Some((Reason::NoAnchor, Some("#set-up"))));
        check("a.md#Set-Up", Some((Reason::OtherCaseOfAnchor, Some("a.md#set-up"))));
        check("#own", Some((Reason::OtherCaseOfAnchor, Some("#Own"))));
        check("#Set%20Up", Some((Reason::NoAnchor, Some("#set-up"))));
        check("#setup", Some((Reason::NoAnchor, Some("#set-up"))));
        check("#elsewhere", Some((Reason::NoAnchor, None)));
        check("#L8", Some((Reason::NoLine(7), None)));
        check("#L1-L8", Some((Reason::NoLine(7), None)));
    }
}
