//! What sections mean: their own tokens, a little of their document's title, a
//! little of the sections beside them. Tokens wait in a file until it is known
//! what they count for.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::model::{self, DIMENSIONS, MAX_TOKENS, TOKENS, Token, Vector, Weights, add, normalize};
use super::recipe::Recipe;
use super::store::{Outcome, nameless_file};
use super::vectors;

/// Rows that are written at once.
const BLOCK: usize = 4096;

/// The tokens of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    title: Vec<Token>,
    /// Those of all sections, and where each ends.
    tokens: Vec<Token>,
    ends: Vec<usize>,
}

impl Meaning {
    /// One without sections yet.
    pub fn of_title(title: &str) -> Self {
        let mut meaning = Self::default();
        model::tokens(title, &mut meaning.title);
        meaning
    }

    /// Adds a section.
    pub fn push(&mut self, tokens: Vec<Token>) {
        self.tokens.extend(tokens);
        self.ends.push(self.tokens.len());
    }

    fn sections(&self) -> impl Iterator<Item = &[Token]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.tokens[start..end])
    }

    /// Calls `each` with a row for each section, in blocks.
    pub fn rows(
        &self,
        weights: &Weights,
        recipe: &Recipe,
        each: &mut dyn FnMut(&[u8]) -> Outcome<()>,
    ) -> Outcome<()> {
        let title = weights.embed(&self.title);
        let own = |tokens: &[Token]| {
            let mut vector = weights.embed(tokens);
            add(&mut vector, recipe.title_in_vector, &title);
            normalize(&mut vector);
            vector
        };
        let mut rows = Vec::with_capacity(self.ends.len().min(BLOCK) * DIMENSIONS);
        let mut sections = self.sections().map(own);
        let (mut before, mut here): (Option<Vector>, _) = (None, sections.next());
        while let Some(vector) = here {
            let behind = sections.next();
            let mut sum = vector;
            for beside in [&before, &behind].into_iter().flatten() {
                add(&mut sum, recipe.beside, beside);
            }
            normalize(&mut sum);
            rows.extend_from_slice(&vectors::row(&sum));
            if rows.len() == BLOCK * DIMENSIONS {
                each(&rows)?;
                rows.clear();
            }
            (before, here) = (Some(vector), behind);
        }
        each(&rows)
    }
}

/// Tokens of documents that wait, and in how many sections each stands.
pub struct Spool {
    writer: BufWriter<File>,
    reader: Option<BufReader<File>>,
    /// By token.
    pub counts: Vec<u32>,
    /// The last section that each token was counted in.
    seen: Vec<u32>,
    sections: u32,
}

impl Spool {
    /// An empty one beside an index.
    pub fn beside(database: &Path) -> Outcome<Self> {
        let path = database.with_extension(format!("{}.spool", std::process::id()));
        Ok(Self {
            writer: BufWriter::new(nameless_file(&path)?),
            reader: None,
            counts: vec![0; TOKENS],
            seen: vec![0; TOKENS],
            sections: 0,
        })
    }

    /// Appends a document.
    pub fn push(&mut self, meaning: &Meaning) -> Outcome<()> {
        self.writer.write_all(&(meaning.ends.len() as u32).to_le_bytes())?;
        self.push_tokens(&meaning.title)?;
        for tokens in meaning.sections() {
            self.sections += 1;
            for &token in tokens {
                let at = usize::from(token);
                if std::mem::replace(&mut self.seen[at], self.sections) != self.sections {
                    self.counts[at] += 1;
                }
            }
            self.push_tokens(tokens)?;
        }
        Ok(())
    }

    fn push_tokens(&mut self, tokens: &[Token]) -> Outcome<()> {
        self.writer.write_all(&(tokens.len().min(MAX_TOKENS) as u16).to_le_bytes())?;
        for token in tokens.iter().take(MAX_TOKENS) {
            self.writer.write_all(&token.to_le_bytes())?;
        }
        Ok(())
    }

    /// The next document, from the first on.
    pub fn next(&mut self) -> Outcome<Option<Meaning>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => {
                self.writer.flush()?;
                let mut file = self.writer.get_ref().try_clone()?;
                file.rewind()?;
                none.insert(BufReader::new(file))
            }
        };
        let mut count = [0; 4];
        if reader.read_exact(&mut count).is_err() {
            return Ok(None);
        }
        let mut meaning = Meaning::default();
        take_tokens(reader, &mut meaning.title)?;
        for _ in 0..u32::from_le_bytes(count) {
            take_tokens(reader, &mut meaning.tokens)?;
            meaning.ends.push(meaning.tokens.len());
        }
        Ok(Some(meaning))
    }
}

fn take_tokens(reader: &mut impl Read, out: &mut Vec<Token>) -> Outcome<()> {
    let mut count = [0; 2];
    reader.read_exact(&mut count)?;
    let mut bytes = vec![0; usize::from(u16::from_le_bytes(count)) * 2];
    reader.read_exact(&mut bytes)?;
    let (tokens, _) = bytes.as_chunks::<2>();
    out.extend(tokens.iter().map(|bytes| Token::from_le_bytes(*bytes)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spooled_comes_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut spool = Spool::beside(&directory.path().join("x.db")).expect("made");
        let mut first = Meaning::of_title("a title");
        first.push(vec![7, 8, 7]);
        first.push(Vec::new());
        let second = Meaning::of_title("");
        spool.push(&first).expect("written");
        spool.push(&second).expect("written");
        assert_eq!((spool.counts[7], spool.counts[8], spool.counts[9]), (1, 1, 0));
        assert_eq!(spool.next().expect("read"), Some(first));
        assert_eq!(spool.next().expect("read"), Some(second));
        assert_eq!(spool.next().expect("read"), None);
        assert_eq!(std::fs::read_dir(directory.path()).expect("listed").count(), 0);
    }

    #[test]
    fn sections_lean_towards_their_neighbours() {
        let mut meaning = Meaning::of_title("");
        for text in ["cats and dogs", "prime numbers", "integer arithmetic"] {
            let mut tokens = Vec::new();
            model::tokens(text, &mut tokens);
            meaning.push(tokens);
        }
        let mut vectors: Vec<Vector> = Vec::new();
        let mut take = |rows: &[u8]| {
            vectors.extend(rows.chunks(DIMENSIONS).map(vectors::vector));
            Ok(())
        };
        meaning.rows(&Weights::default(), &Recipe::default(), &mut take).expect("taken");
        let alone = Weights::default();
        let mut tokens = Vec::new();
        model::tokens("cats and dogs", &mut tokens);
        let cats = alone.embed(&tokens);
        let cosine = |one: &Vector, other: &Vector| -> f32 {
            one.iter().zip(other).map(|(x, y)| x * y).sum()
        };
        assert!(cosine(&cats, &vectors[1]) > cosine(&cats, &vectors[2]) + 0.1);
        assert!(cosine(&cats, &vectors[0]) > 0.9);
    }
}
