//! Recognizes pages that are translations of one another by their paths, and selects the one in the
//! language of the question.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::analyser::{Analyser, words};
use super::language::{ENGLISH, all_stop_words};
use super::model;
use super::ranking::Ranked;
use super::shard::{Shard, Which};
use super::store::Outcome;

/// Codes of languages in paths of translations, sorted.
const CODES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cn", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he",
    "hi", "hr", "hu", "id", "it", "ja", "jp", "ko", "kr", "lt", "lv", "ms", "nb", "nl", "nn", "no",
    "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk", "ur", "uz", "vi", "zh",
];
/// Codes of countries that are used instead of codes of languages.
const COUNTRIES: [(&str, &str); 3] = [("cn", "zh"), ("jp", "ja"), ("kr", "ko")];
/// The codes of the languages that are detected by their stop words.
const NAMES: [(&str, &str); 18] = [
    ("arabic", "ar"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("english", "en"),
    ("finnish", "fi"),
    ("french", "fr"),
    ("german", "de"),
    ("greek", "el"),
    ("hungarian", "hu"),
    ("italian", "it"),
    ("norwegian", "no"),
    ("portuguese", "pt"),
    ("romanian", "ro"),
    ("russian", "ru"),
    ("spanish", "es"),
    ("swedish", "sv"),
    ("tamil", "ta"),
    ("turkish", "tr"),
];
/// The stop words of each language.
static STOP_WORDS: LazyLock<Vec<(&str, HashSet<String>)>> = LazyLock::new(|| {
    let languages = all_stop_words().map(|(name, stop_words)| {
        let mut stops = HashSet::new();
        words(stop_words, &mut |word| {
            stops.insert(word.text.to_owned());
        });
        (name, stops)
    });
    languages.collect()
});
/// Characters that only one of the languages uses: first character, last character, language. The
/// first script in a question decides.
const SCRIPTS: [(char, char, &str); 6] = [
    ('\u{3040}', '\u{30ff}', "ja"),
    ('\u{ac00}', '\u{d7af}', "ko"),
    ('\u{4e00}', '\u{9fff}', "zh"),
    ('\u{0900}', '\u{097f}', "hi"),
    ('\u{0590}', '\u{05ff}', "he"),
    ('\u{0e00}', '\u{0e7f}', "th"),
];
/// Directories in which site generators expect translations, and the directories of the originals.
const MOVED: [(&str, &str); 5] = [
    ("i18n/docusaurus-plugin-content-docs/current/", "docs/"),
    ("i18n/docusaurus-plugin-content-docs/version-", "versioned_docs/version-"),
    ("i18n/docusaurus-plugin-content-blog/", "blog/"),
    ("i18n/docusaurus-plugin-content-pages/", "src/pages/"),
    ("translations/", ""),
];
/// The language that is selected for a page without a language.
pub const ORIGINAL: &str = "en";
/// Maximum number of sections whose translations are compared.
const COMPARED: usize = 300;

/// The path of a document without its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePath {
    /// The path that all translations share.
    pub original: Vec<u8>,
    /// The code of the language, if the path contains one.
    pub language: Option<String>,
    /// Whether the language is the name of a directory.
    pub is_in_directory: bool,
}

impl PagePath {
    /// Removes language codes from a path: `de/`, `pt-br/`, `.ja.`, `README-ko.md`.
    pub fn parse(path: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(path) else {
            return Self { original: path.to_vec(), language: None, is_in_directory: false };
        };
        let mut language = None;
        let mut is_language = |part: &str| {
            let code = code(part);
            language = language.take().or(code.clone());
            code.is_some()
        };
        let mut parts: Vec<&str> = text.split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let all = parts.len();
        parts.retain(|part| !is_language(part));
        let is_in_directory = parts.len() < all;
        let names: Vec<&str> = name.split('.').collect();
        let last = names.len() - 1;
        let is_kept = |(at, part): &(usize, &&str)| *at == 0 || *at == last || !is_language(part);
        let kept = names.iter().enumerate().filter(is_kept).map(|(_, part)| *part);
        let mut names: Vec<&str> = kept.collect();
        // Elsewhere, `-id` and `-it` are usually words.
        let is_shouted = |stem: &&str| stem.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        if let Some((stem, code)) = names[0].split_once(['-', '_'])
            && Some(stem).filter(is_shouted).is_some_and(|stem| !stem.is_empty())
            && is_language(code)
        {
            names[0] = stem;
        }
        let name = names.join(".");
        parts.push(&name);
        let mut original = parts.join("/");
        if language.is_some() {
            for (from, to) in MOVED {
                original = original.replacen(from, to, 1);
            }
        }
        Self { original: original.into_bytes(), language, is_in_directory }
    }
}

/// Returns the code of the language that a part of a path names, without its region.
fn code(part: &str) -> Option<String> {
    let (language, region) = part.split_once(['-', '_']).unwrap_or((part, ""));
    let is_region = match region.len() {
        // Such as `es-419`.
        3 => region.bytes().all(|byte| byte.is_ascii_digit()),
        length => matches!(length, 0 | 2 | 4) && region.chars().all(char::is_alphanumeric),
    };
    let language = language.to_ascii_lowercase();
    let is_known = is_region && CODES.binary_search(&language.as_str()).is_ok();
    let country = COUNTRIES.iter().find(|(country, _)| *country == language);
    is_known.then(|| country.map_or(language, |(_, code)| (*code).to_owned()))
}

/// Returns the code of the language in which a question is asked. Returns `None` if the question has
/// too few words to determine it.
pub fn question_language(question: &str) -> Option<&'static str> {
    let script = |c: char| SCRIPTS.iter().find(|(first, last, _)| (*first..=*last).contains(&c));
    let scripts: Vec<&str> =
        question.chars().filter_map(script).map(|(_, _, code)| *code).collect();
    if let Some(first) = scripts.first() {
        // Japanese also contains Chinese characters.
        return Some(if scripts.contains(&"ja") { "ja" } else { first });
    }
    let mut found: HashSet<String> = HashSet::new();
    words(question, &mut |word| {
        if !word.is_whole && !word.text.is_empty() {
            found.insert(word.text.to_owned());
        }
    });
    let stop_words = STOP_WORDS.iter();
    let mut counts: Vec<(usize, &str)> =
        stop_words.map(|(name, stops)| (found.intersection(stops).count(), *name)).collect();
    counts.sort_unstable_by(|left, right| right.cmp(left));
    let name = match counts[..] {
        // One stop word of English may be a word of a language that is not known here.
        [(most, name), (next, _), ..] if most > next && (most > 1 || name != ENGLISH) => name,
        // Without stop words, only English can be recognized: the model's vocabulary is English.
        _ => {
            let english = Analyser::new(ENGLISH)?;
            let is_english =
                |word: &String| model::is_word(word) || model::is_word(&english.stem(word));
            (!found.is_empty() && found.iter().all(is_english)).then_some(ENGLISH)?
        }
    };
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

/// Moves the sections of one translation of each page before those of the others. The page in
/// `language` is selected or, if there is none, the page of the best section. English pages need not
/// have a language in their path. The scores stay in order.
pub fn select(
    shards: &[Box<dyn Shard + '_>],
    ranked: &mut [Ranked],
    language: Option<&str>,
) -> Outcome<()> {
    let count = ranked.len().min(COMPARED);
    let ranked = &mut ranked[..count];
    let pages = pages(shards, ranked)?;
    let mut groups: HashMap<(usize, &[u8]), Vec<usize>> = HashMap::new();
    for (at, page) in pages.iter().enumerate() {
        groups.entry((ranked[at].shard, &page.original)).or_default().push(at);
    }
    for places in groups.into_values() {
        let first = &pages[places[0]].language;
        if places.iter().all(|&at| pages[at].language == *first) {
            continue;
        }
        let named = places.iter().filter_map(|&at| pages[at].language.as_deref());
        let languages: HashSet<&str> = named.collect();
        // A page in two languages besides the original is translated.
        if languages.len() < 2 && !languages.iter().any(|language| translates(&pages, language)) {
            continue;
        }
        let has =
            |wanted: Option<&str>| places.iter().any(|&at| pages[at].language.as_deref() == wanted);
        let selected = match language {
            Some(language) if has(Some(language)) => Some(language),
            Some(ORIGINAL) if has(None) => None,
            _ => first.as_deref(),
        };
        let (mut order, others): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|&&at| pages[at].language.as_deref() == selected);
        order.extend(others);
        let sections: Vec<Ranked> = order.iter().map(|&at| ranked[at]).collect();
        for (&at, section) in places.iter().zip(sections) {
            ranked[at] = Ranked { score: ranked[at].score, ..section };
        }
    }
    Ok(())
}

/// Whether several pages in a language have another page as their original or as a translation. A
/// directory with one such page, such as `hr/`, may have another meaning.
fn translates(pages: &[PagePath], language: &str) -> bool {
    let is_of_language = |page: &&PagePath| page.language.as_deref() == Some(language);
    let mut translated = HashSet::new();
    for page in pages.iter().filter(is_of_language) {
        let other =
            |other: &PagePath| other.original == page.original && other.language != page.language;
        if !page.is_in_directory || pages.iter().any(other) {
            translated.insert(&page.original);
        }
        if !page.is_in_directory || translated.len() > 1 {
            return true;
        }
    }
    false
}

/// Returns the path of the document of each section.
fn pages(shards: &[Box<dyn Shard + '_>], ranked: &[Ranked]) -> Outcome<Vec<PagePath>> {
    let mut pages: HashMap<(usize, u64), PagePath> = HashMap::new();
    let mut documents = vec![0; ranked.len()];
    for (index, shard) in shards.iter().enumerate() {
        let places: Vec<usize> =
            (0..ranked.len()).filter(|&at| ranked[at].shard == index).collect();
        let sections: Vec<u64> = places.iter().map(|&at| ranked[at].section).collect();
        let mut numbers = shard.documents_of(&sections)?;
        places.iter().zip(&numbers).for_each(|(&at, &document)| documents[at] = document);
        numbers.sort_unstable();
        numbers.dedup();
        for document in shard.documents(Which::Numbered(&numbers))? {
            pages.insert((index, document.id), PagePath::parse(&document.path));
        }
    }
    let unknown = || PagePath { original: Vec::new(), language: None, is_in_directory: false };
    let page = |(ranked, document): (&Ranked, u64)| {
        pages.get(&(ranked.shard, document)).cloned().unwrap_or_else(unknown)
    };
    Ok(ranked.iter().zip(documents).map(page).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_share_a_path() {
        let pairs = [
            ("docs/en/a.md", "docs/pt-br/a.md", "pt"),
            ("docs/a.md", "docs/de/a.md", "de"),
            ("README.md", "README.zh-CN.md", "zh"),
            ("README.md", "README-ko.md", "ko"),
            ("README.md", "README_CN.md", "zh"),
            ("docs/a.md", "i18n/fr/docusaurus-plugin-content-docs/current/a.md", "fr"),
            (
                "versioned_docs/version-2/a.md",
                "i18n/fr/docusaurus-plugin-content-docs/version-2/a.md",
                "fr",
            ),
            ("README.md", "translations/de/README.md", "de"),
            ("content/en/docs/a.md", "content/es-419/docs/a.md", "es"),
        ];
        for (original, translation, code) in pairs {
            let [original, translation] =
                [original, translation].map(|path| PagePath::parse(path.as_bytes()));
            assert_eq!(original.original, translation.original);
            assert_eq!(translation.language.as_deref(), Some(code));
        }
        for path in
            ["docs/go/a.md", "de.md", "docs/a.min.md", "no-ops/a.min.md", "user-id.md", "i18n/a.md"]
        {
            let page = PagePath::parse(path.as_bytes());
            let expected =
                PagePath { original: path.into(), language: None, is_in_directory: false };
            assert_eq!(page, expected);
        }
        assert!(CODES.is_sorted());
    }

    #[test]
    fn the_language_of_a_question_is_that_of_its_words() {
        let cases = [
            ("how do I install a package", Some("en")),
            ("install package", Some("en")),
            ("Wie installiere ich ein Paket", Some("de")),
            ("comment installer un paquet", Some("fr")),
            ("¿Cómo instalar el paquete?", Some("es")),
            ("как установить пакет", Some("ru")),
            ("如何安装软件包", Some("zh")),
            ("パッケージを追加する", Some("ja")),
            ("jak edytuj plik konfiguracji to proste", None),
            ("패키지 설치", Some("ko")),
            ("Paket installieren", None),
            ("kubectl rollout", None),
            ("", None),
        ];
        for (question, expected) in cases {
            assert_eq!(question_language(question), expected, "{question}");
        }
    }
}
