//! The weights of the parts of the ranking. A benchmark sets a weight to zero to measure the effect
//! of that part.

/// Weights and options that determine how vectors are computed and how sections are scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The weight of terms in the title.
    pub title: f32,
    /// The weight of query words that are near each other in the text.
    pub proximity: f32,
    /// The weight of the cosine between the query and the section.
    pub cosine: f32,
    /// The weight of tokens that are similar to tokens of the query.
    pub soft_match: f32,
    /// The weight of a heading that contains all words of the query.
    pub heading: f32,
    /// The weight of a file name that contains all words of the query.
    pub file_name: f32,
    /// The weight of other sections of the same document.
    pub document: f32,
    /// The fraction of the score of release notes and blog posts that is kept, if the query does not
    /// ask for them.
    pub news: f32,
    /// Maximum number of candidates selected by vector.
    pub by_vector: usize,
    /// Whether the tokens of the title contribute to the vector of a section.
    pub pools_title: bool,
    /// The fraction of the title's vector that is added to the vector of a section.
    pub title_in_vector: f32,
    /// The fraction of the vectors of the previous and the next section that is added to the vector
    /// of a section.
    pub beside: f32,
    /// Whether rare tokens have higher weights.
    pub weighs_tokens: bool,
    /// The order of sections from the same document.
    pub spread: Spread,
    /// Whether unknown words are corrected.
    pub corrects_words: bool,
}

/// Limits the number of sections of one document in an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// At most two sections of a document are among the first five results. Other sections follow.
    #[default]
    First,
    /// The best section of each document comes first, then all other sections.
    OneFirst,
    /// An answer contains at most this number of sections of a document.
    AtMost(usize),
    /// An answer contains every section, ordered by score.
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
            news: 0.7,
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
