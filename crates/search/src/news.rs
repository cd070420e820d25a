//! Recognizes release notes, changelogs and blog posts, which answer a question less well than the
//! manual.

use super::query::Query;

/// Names of directories that contain news, in lower case without `-` and `_`.
const DIRECTORIES: &[&str] = &[
    "announcements",
    "blog",
    "changelog",
    "changelogs",
    "news",
    "posts",
    "releasenotes",
    "releases",
    "whatsnew",
];
/// Names of files with news, without their extension, in lower case without `-` and `_`. They may
/// be followed by a version.
const FILES: &[&str] = &["changelog", "changes", "history", "news", "releasenotes", "whatsnew"];
/// Words of questions about news.
const WORDS: &[&str] = &[
    "announced",
    "announcement",
    "announcements",
    "blog",
    "blogs",
    "changed",
    "changelog",
    "changelogs",
    "changes",
    "deprecated",
    "history",
    "news",
    "post",
    "posts",
    "release",
    "released",
    "releases",
    "removed",
    "version",
    "versions",
];

/// Whether the path of a document is that of release notes, a changelog or a blog post.
pub fn is_news(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path).to_lowercase();
    let mut parts = path.split('/').rev();
    let stem = parts.next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let plain = |name: &str| name.replace(['-', '_', ' '], "");
    let is_file = |name: &&str| {
        let name = plain(stem).strip_prefix(*name).map(str::to_owned);
        name.is_some_and(|rest| !rest.starts_with(char::is_alphabetic) || is_version(&rest))
    };
    FILES.iter().any(is_file)
        || is_dated(stem)
        || parts.any(|part| DIRECTORIES.contains(&plain(part).as_str()))
}

/// Whether a text is a version with a letter, such as `v1`.
fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a name begins with a date, such as `2024-02-29-`.
fn is_dated(name: &str) -> bool {
    let is_like = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    name.len() > 10 && name.bytes().enumerate().take(10).all(is_like)
}

/// Whether a query asks about news: it contains a version or a word such as `release`.
pub fn asks_for_news(query: &Query) -> bool {
    let is_version = |parts: &Vec<String>| {
        parts.iter().any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    query.dotted.iter().any(is_version)
        || query.words.iter().any(|word| WORDS.binary_search(&word.text.as_str()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_recognized_by_their_paths() {
        let news = [
            "CHANGELOG.md",
            "docs/release-notes/1.2.md",
            "docs/releases/3.0.txt",
            "website/blog/2024-02-29-three.md",
            "content/_posts/hello.md",
            "CHANGES",
            "CHANGELOG-1.20.md",
            "changelog-v2.md",
            "2020-01-02-meeting.md",
        ];
        for path in news {
            assert!(is_news(path.as_bytes()), "{path}");
        }
        let manual = [
            "docs/release.md",
            "guide/setting-up-a-blog.md",
            "plugins/blog.md",
            "tutorials/blogs/basic.md",
            "history-api.md",
            "changes-detection.md",
            "newsletter.md",
            "2024.md",
        ];
        for path in manual {
            assert!(!is_news(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn questions_with_versions_ask_for_news() {
        let asks = |query: &str| asks_for_news(&Query::parse(query).expect("a query"));
        assert!(asks("what changed in the last release") && asks("new in 1.2.3"));
        assert!(!asks("how do I install it") && !asks("fs.read"));
        assert!(WORDS.is_sorted());
    }
}
