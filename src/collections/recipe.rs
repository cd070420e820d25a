//! The weights of the parts of the ranking. Benchmarks set some to zero to measure a part.

/// How vectors are computed, and the weights of the parts of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The weight of title terms.
    pub title: f32,
    /// The weight of query words that are near each other.
    pub proximity: f32,
    /// The weight of the cosine.
    pub cosine: f32,
    /// The weight of tokens similar to those of the query.
    pub soft_match: f32,
    /// The weight of a heading with all words of the query.
    pub heading: f32,
    /// The weight of a file name with all words of the query.
    pub file_name: f32,
    /// The weight of other sections of the document.
    pub document: f32,
    /// Maximum number of candidates selected by vector.
    pub by_vector: usize,
    /// Whether the vector of a section is also made of the title's tokens.
    pub pools_title: bool,
    /// The part of the title's vector in that of a section.
    pub title_in_vector: f32,
    /// The part of the vector of the section before, and of that after it.
    pub beside: f32,
    /// Whether rare tokens have a higher weight.
    pub weighs_tokens: bool,
    /// The order of sections of the same document.
    pub spread: Spread,
    /// Whether unknown words are corrected.
    pub corrects_words: bool,
}

/// How many sections of a document an answer contains, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// Two among the first five results; the others after them.
    #[default]
    First,
    /// The best section of each document, then the others.
    OneFirst,
    /// A maximum number.
    AtMost(usize),
    /// Every section, by score.
    Unlimited,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            title: 0.2,
            proximity: 0.4,
            cosine: 0.35,
            soft_match: 0.4,
            heading: 1.0,
            file_name: 2.0,
            document: 0.15,
            by_vector: 50,
            pools_title: true,
            title_in_vector: 0.2,
            beside: 0.25,
            weighs_tokens: true,
            corrects_words: true,
            spread: Spread::First,
        }
    }
}
