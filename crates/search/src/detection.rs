//! Detects the language of documents by their stop words.

use std::collections::{HashMap, HashSet};

use super::analyser::words;
use super::language::{ENGLISH, all_stop_words};

/// For detection, the minimum number of stop words, the minimum number of different stop words, and
/// the maximum number of words per stop word. A single keyword of a programming language that is
/// also a stop word is thus not sufficient.
const MIN_COUNT: usize = 10;
const MIN_DIFFERENT: usize = 5;
const MIN_PART: usize = 50;

/// Counts the stop words of each language in texts.
#[derive(Default)]
pub struct Sample {
    /// The languages that contain each stop word.
    languages: HashMap<String, Vec<&'static str>>,
    counts: HashMap<&'static str, usize>,
    /// The different stop words found so far, for each language.
    different: HashMap<&'static str, HashSet<String>>,
    words: usize,
}

impl Sample {
    /// Counts the stop words of a text.
    pub fn add(&mut self, text: &str) {
        if self.languages.is_empty() {
            for (language, stop_words) in all_stop_words() {
                words(stop_words, &mut |word| {
                    self.languages.entry(word.text.to_owned()).or_default().push(language);
                });
            }
        }
        words(text, &mut |word| {
            self.words += 1;
            for language in self.languages.get(word.text).into_iter().flatten() {
                *self.counts.entry(language).or_default() += 1;
                let different = self.different.entry(language).or_default();
                if different.len() < MIN_DIFFERENT {
                    different.insert(word.text.to_owned());
                }
            }
        });
    }

    /// Returns the language with the most stop words. If English has equally many, returns English.
    /// Returns `None` if there are too few stop words.
    pub fn language(&self) -> Option<&'static str> {
        let order = |&(&name, count): &(&&'static str, usize)| (count, name == ENGLISH, name);
        let is_varied = |(name, _): &(&&'static str, usize)| {
            self.different.get(*name).is_some_and(|words| words.len() >= MIN_DIFFERENT)
        };
        let counts = self.counts.iter().map(|(name, &count)| (name, count));
        let (name, count) = counts.filter(is_varied).max_by_key(order)?;
        (count >= MIN_COUNT && count * MIN_PART >= self.words).then_some(*name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::LANGUAGES;
    use super::*;

    #[test]
    fn the_language_with_most_frequent_words_is_detected() {
        let cases = [
            ("", ENGLISH),
            ("The server is started by the script, and it reads the file from the disk.", ENGLISH),
            (
                "Der Server wird mit dem Skript gestartet und liest die Datei von der Platte.",
                "german",
            ),
            (
                "Le serveur est lancé par le script et lit les fichiers qui sont sur le disque.",
                "french",
            ),
            (
                "El servidor se inicia con el script y lee los archivos que están en el disco.",
                "spanish",
            ),
            (
                "Serveren startes af scriptet uden fejl, og filen læses efter start, hvis det er muligt.",
                "danish",
            ),
            (
                "O servidor não é iniciado com o script, mas lê os arquivos que são da pasta.",
                "portuguese",
            ),
            (
                "Сервер запускается из скрипта и читает файлы, если они есть на диске, но не все.",
                "russian",
            ),
            (
                "Sunucu bir betik ile başlar ve bu dosyayı daha sonra okur, çok hızlı değil.",
                "turkish",
            ),
        ];
        for (text, expected) in cases {
            let mut sample = Sample::default();
            sample.add(&text.repeat(4));
            assert_eq!(sample.language().unwrap_or(ENGLISH), expected, "{text}");
        }
        assert!(LANGUAGES.is_sorted_by_key(|(name, _)| name));
        let known = |name: &str| LANGUAGES.iter().any(|(language, _)| *language == name);
        assert!(all_stop_words().all(|(name, _)| known(name)));
    }

    #[test]
    fn a_few_words_do_not_suffice() {
        let mut sample = Sample::default();
        sample.add(&"let value = read(de, path) + la;\n".repeat(4));
        assert_eq!(sample.language(), None);
    }

    #[test]
    fn a_keyword_that_is_a_stop_word_does_not_suffice() {
        let mut sample = Sample::default();
        sample.add(&"image = var.image\nsize = var.size\nname = var.name\n".repeat(20));
        assert_eq!(sample.language(), None);
        let prose = "The server is started by the script, and it reads the file from the disk.\n";
        sample.add(&prose.repeat(2));
        assert_eq!(sample.language(), Some(ENGLISH));
    }
}
