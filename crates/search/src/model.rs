//! The embedded model: WordPiece tokens and their vectors. The vector of a text is the weighted sum
//! of the vectors of its tokens.
//!
//! The model file is part of the binary. All numbers in it are little-endian. It consists of, in
//! this order: a header of 64 bytes, the hash slots, the offsets of the vocabulary, the vocabulary,
//! a scale (`f32`) for each token, and a row of bytes for each token. The header contains a magic
//! number, followed by these `u32` values: number of tokens, dimensions, hash slots, unknown token,
//! size of the vocabulary.

use unicode_normalization::UnicodeNormalization;

use super::characters::{is_combining, is_format, is_ideograph, is_punctuation};

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 256;

/// Maximum number of tokens of a text.
pub const MAX_TOKENS: usize = 512;

/// The number of a token in the vocabulary.
pub type Token = u16;

/// A vector.
pub type Vector = [f32; DIMENSIONS];

/// Maximum length of a word to look up, in characters.
const MAX_LETTERS: usize = 100;
const HASH_OF_NOTHING: u32 = 0x811c_9dc5;
const HEADER: usize = 64;
const COUNT: usize = 30_522;
const SLOTS: usize = 65_536;
const UNKNOWN: Token = 100;
const OFFSETS: usize = HEADER + 4 * SLOTS;
const VOCABULARY: usize = OFFSETS + 4 * (COUNT + 1);
const VOCABULARY_LENGTH: usize = 200_988;
const SCALES: usize = VOCABULARY + VOCABULARY_LENGTH;
const ROWS: usize = SCALES + 4 * COUNT;

static FILE: &[u8; ROWS + COUNT * DIMENSIONS] =
    include_bytes!("../assets/model/static-deb-256.bin");

/// The number of tokens.
pub const TOKENS: usize = COUNT;

fn number(at: usize) -> u32 {
    let bytes = FILE[at..at + 4].try_into();
    bytes.map_or(0, u32::from_le_bytes)
}

fn text(token: usize) -> &'static [u8] {
    let start = number(OFFSETS + 4 * token) as usize;
    let end = number(OFFSETS + 4 * token + 4) as usize;
    &FILE[VOCABULARY + start..VOCABULARY + end]
}

/// Returns the weight of a token in the model.
pub fn scale(token: Token) -> f32 {
    f32::from_bits(number(SCALES + 4 * usize::from(token)))
}

/// Returns the vector of a token, without its weight.
pub fn row(token: Token) -> &'static [u8] {
    let start = ROWS + usize::from(token) * DIMENSIONS;
    &FILE[start..start + DIMENSIONS]
}

/// Adds a byte to a hash (FNV-1a).
fn add_to_hash(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// Returns the token with this spelling and hash. The spelling of a token within a word begins with
/// `##`.
fn find(spelling: &[u8], hash: u32) -> Option<Token> {
    let mut slot = hash as usize % SLOTS;
    loop {
        let token = (number(HEADER + 4 * slot) as usize).checked_sub(1)?;
        if text(token) == spelling {
            return Token::try_from(token).ok();
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// Whether the vocabulary contains a word in lower case as one token.
pub fn is_word(word: &str) -> bool {
    let hash = word.bytes().fold(HASH_OF_NOTHING, add_to_hash);
    find(word.as_bytes(), hash).is_some()
}

/// Appends the tokens of a text, up to [`MAX_TOKENS`]. The text is split in the same way as by
/// BERT.
pub fn tokens(text: &str, out: &mut Vec<Token>) {
    let limit = out.len() + MAX_TOKENS;
    let mut word = String::new();
    for character in text.chars() {
        if out.len() >= limit {
            break;
        }
        if character.is_ascii_alphanumeric() {
            word.push(character.to_ascii_lowercase());
        } else if character.is_ascii() {
            end_word(&mut word, out);
            if character.is_ascii_punctuation() {
                word.push(character);
                end_word(&mut word, out);
            }
        } else {
            push_unicode(character, &mut word, out);
        }
    }
    end_word(&mut word, out);
    out.truncate(limit);
}

fn push_unicode(character: char, word: &mut String, out: &mut Vec<Token>) {
    if character == '\u{fffd}' || is_format(character) || character.is_control() {
        return;
    }
    if character.is_whitespace() {
        return end_word(word, out);
    }
    if is_ideograph(character) {
        end_word(word, out);
        word.push(character);
        return end_word(word, out);
    }
    for plain in character.to_lowercase().nfd().filter(|&plain| !is_combining(plain)) {
        if is_punctuation(plain) {
            end_word(word, out);
            word.push(plain);
            end_word(word, out);
        } else {
            word.push(plain);
        }
    }
}

/// Appends the tokens of a word and clears the word. At each position, the longest matching token
/// is used.
fn end_word(word: &mut String, out: &mut Vec<Token>) {
    if word.is_empty() {
        return;
    }
    let first = out.len();
    let mut piece = Vec::with_capacity(word.len() + 2);
    // The hash of each prefix of the piece, by length.
    let mut hashes = Vec::with_capacity(word.len() + 2);
    let mut start = 0;
    let is_long = word.chars().count() > MAX_LETTERS;
    while start < word.len() && !is_long {
        piece.clear();
        if start > 0 {
            piece.extend_from_slice(b"##");
        }
        let mark = piece.len();
        piece.extend_from_slice(&word.as_bytes()[start..]);
        hashes.clear();
        hashes.extend(piece.iter().scan(HASH_OF_NOTHING, |hash, &byte| {
            *hash = add_to_hash(*hash, byte);
            Some(*hash)
        }));
        let longest = (mark..piece.len()).rev();
        let found = longest.zip(hashes.iter().rev()).find_map(|(last, &hash)| {
            find(&piece[..=last], hash).map(|token| (token, last + 1 - mark))
        });
        let Some((token, length)) = found else { break };
        out.push(token);
        start += length;
    }
    if start < word.len() {
        out.truncate(first);
        out.push(UNKNOWN);
    }
    word.clear();
}

/// The weight of each token in a collection: the square root of its rarity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(Vec<f32>);

impl Weights {
    /// Computes weights from the number of sections that contain each token.
    pub fn of_counts(counts: &[u32], sections: u64) -> Self {
        let rarity = |&count: &u32| rarity(u64::from(count), sections).sqrt();
        Self(counts.iter().map(rarity).collect())
    }

    /// Creates weights that are equal for all tokens.
    pub fn equal() -> Self {
        Self(vec![1.0; TOKENS])
    }

    /// Decodes the result of [`Weights::bytes`].
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        let is_whole = numbers.len() == TOKENS && rest.is_empty();
        is_whole.then(|| Self(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
    }

    /// Encodes the weights.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|weight| weight.to_le_bytes()).collect()
    }

    /// Returns the weight of a token.
    pub fn weight(&self, token: Token) -> f32 {
        self.0.get(usize::from(token)).copied().unwrap_or(1.0)
    }

    /// Returns the vector of a text. Its length is 1, or 0 if the text has no tokens.
    pub fn embed(&self, tokens: &[Token]) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for &token in tokens.iter().take(MAX_TOKENS) {
            let weight = scale(token) * self.weight(token);
            for (value, &byte) in sum.iter_mut().zip(row(token)) {
                *value += weight * f32::from(byte.cast_signed());
            }
        }
        normalize(&mut sum);
        sum
    }
}

/// Returns the rarity (inverse document frequency) of a term that occurs in `count` of `sections`
/// sections.
pub fn rarity(count: u64, sections: u64) -> f32 {
    let (count, sections) = (count as f32, sections as f32);
    (1.0 + (sections - count + 0.5).max(0.5) / (count + 0.5)).ln()
}

/// Scales a vector to length 1, unless it is zero.
pub fn normalize(vector: &mut Vector) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

/// Adds a multiple of another vector to a vector.
pub fn add(vector: &mut Vector, part: f32, other: &Vector) {
    vector.iter_mut().zip(other).for_each(|(value, other)| *value += part * other);
}

/// The vector of a token and its squared length, for comparing tokens.
#[derive(Clone, Copy)]
pub struct TokenVector {
    row: &'static [u8],
    square: f32,
}

impl TokenVector {
    /// Looks up the vector of a token.
    pub fn look_up(token: Token) -> Self {
        let row = row(token);
        Self { row, square: product(row, row) as f32 }
    }

    /// Returns the cosine between the vectors of two tokens.
    pub fn cosine(self, other: Self) -> f32 {
        let lengths = (self.square * other.square).sqrt();
        if lengths > 0.0 { product(self.row, other.row) as f32 / lengths } else { 0.0 }
    }
}

fn product(left: &[u8], right: &[u8]) -> i32 {
    let pairs = left.iter().zip(right);
    pairs.map(|(&x, &y)| i32::from(x.cast_signed()) * i32::from(y.cast_signed())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text_of: &str, expected: &[&str]) {
        let mut found = Vec::new();
        tokens(text_of, &mut found);
        let spelt = found.iter().map(|&token| String::from_utf8_lossy(text(token.into())));
        assert_eq!(spelt.collect::<Vec<_>>(), expected, "{text_of}");
    }

    #[test]
    fn the_file_matches_its_header() {
        assert_eq!(&FILE[..8], b"STEMB001");
        let numbers: Vec<usize> = (0..5).map(|at| number(8 + 4 * at) as usize).collect();
        let unknown = usize::from(UNKNOWN);
        assert_eq!(numbers, [COUNT, DIMENSIONS, SLOTS, unknown, VOCABULARY_LENGTH]);
    }

    #[test]
    fn texts_are_split_as_bert_does() {
        check("Hello, World!", &["hello", ",", "world", "!"]);
        check("embeddings", &["em", "##bed", "##ding", "##s"]);
        check("Caf\u{e9} nai\u{308}ve", &["cafe", "naive"]);
        check("a\u{200b}b", &["ab"]);
        check("a_b", &["a", "_", "b"]);
        check("日本", &["日", "本"]);
        check("x−y", &["x", "##−", "##y"]);
        check(&"x".repeat(101), &["[UNK]"]);
        check("", &[]);
    }

    #[test]
    fn similar_texts_have_near_vectors() {
        let weights = Weights::default();
        let embed = |text: &str| {
            let mut found = Vec::new();
            tokens(text, &mut found);
            weights.embed(&found)
        };
        let cosine = |left: &str, right: &str| -> f32 {
            embed(left).iter().zip(&embed(right)).map(|(x, y)| x * y).sum()
        };
        let near = cosine("how to delete a file", "removing files");
        assert!(near > cosine("how to delete a file", "the weather in spring") + 0.2, "{near}");
        assert!((cosine("same words", "same words") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn weights_are_decoded() {
        let mut counts = vec![0; TOKENS];
        counts[7] = 90;
        let weights = Weights::of_counts(&counts, 100);
        assert!(weights.weight(7) < weights.weight(8));
        assert_eq!(Weights::of_bytes(&weights.bytes()), Some(weights));
        assert_eq!(Weights::of_bytes(b"1234"), None);
    }
}
