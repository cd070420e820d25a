//! Detects the language of documents by their stop words.

use std::collections::HashMap;

use super::analyser::words;
use super::language::{ENGLISH, all_stop_words};

/// Detection needs at least this number of stop words, and one in this number of words.
const MIN_COUNT: usize = 10;
const MIN_PART: usize = 50;

/// Counts the stop words of each language in texts.
#[derive(Default)]
pub struct Sample {
    /// The languages of each stop word.
    languages: HashMap<String, Vec<&'static str>>,
    counts: HashMap<&'static str, usize>,
    words: usize,
}

impl Sample {
    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        if self.languages.is_empty() {
            for (language, own) in all_stop_words() {
                words(own, &mut |word| {
                    self.languages.entry(word.text.to_owned()).or_default().push(language);
                });
            }
        }
        words(text, &mut |word| {
            self.words += 1;
            for language in self.languages.get(word.text).into_iter().flatten() {
                *self.counts.entry(language).or_default() += 1;
            }
        });
    }

    /// The language with most stop words; English if there are few, or as many English ones.
    pub fn language(&self) -> &'static str {
        let order = |&(&name, &count): &(&&'static str, &usize)| (count, name == ENGLISH, name);
        let is_clear = |count: usize| count >= MIN_COUNT && count * MIN_PART >= self.words;
        let best = self.counts.iter().max_by_key(order);
        best.filter(|(_, count)| is_clear(**count)).map_or(ENGLISH, |(name, _)| name)
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
            assert_eq!(sample.language(), expected, "{text}");
        }
        assert!(LANGUAGES.is_sorted_by_key(|(name, _)| name));
        let known = |name: &str| LANGUAGES.iter().any(|(own, _)| *own == name);
        assert!(all_stop_words().all(|(name, _)| known(name)));
    }

    #[test]
    fn a_few_words_do_not_suffice() {
        let mut sample = Sample::default();
        sample.add(&"let value = read(de, path) + la;\n".repeat(4));
        assert_eq!(sample.language(), ENGLISH);
    }
}
