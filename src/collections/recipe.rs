//! What each part of the ranking counts for. A run takes them as they are; what
//! measures the ranking takes parts out.

/// How sections become vectors, and what a candidate's score is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// What the terms of the title count for.
    pub title: f32,
    /// What it counts for that words stand near each other.
    pub proximity: f32,
    /// What the cosine of the vectors counts for.
    pub cosine: f32,
    /// What it counts for that tokens are like those of the query.
    pub soft_match: f32,
    /// What it counts for that the heading has all words of the query.
    pub heading: f32,
    /// What it counts for that the file name has them.
    pub file_name: f32,
    /// What other sections of the same document count for.
    pub document: f32,
    /// Candidates by their vectors.
    pub by_vector: usize,
    /// How much of the title is in the vector of a section.
    pub title_in_vector: f32,
    /// How much of the section before, and of that behind, is in it.
    pub beside: f32,
    /// Whether tokens count for more where they are rare.
    pub weighs_tokens: bool,
    /// How many sections of a document come first.
    pub spread: Spread,
    /// Whether words that occur nowhere are corrected.
    pub corrects_words: bool,
}

/// How many sections of a document an answer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// Two among the first five, the others after these.
    #[default]
    First,
    /// One of each document, then the others.
    OneFirst,
    /// At most so many.
    AtMost(usize),
    /// As many as there are.
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
            title_in_vector: 0.2,
            beside: 0.25,
            weighs_tokens: true,
            corrects_words: true,
            spread: Spread::First,
        }
    }
}
