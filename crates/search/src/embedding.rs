//! Computes the vectors of sections from the tokens of the section and of the document's title. A
//! fraction of the vectors of the title and of the adjacent sections is added. The weights of
//! tokens depend on all documents, so the tokens are first stored in a temporary file.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::model::{self, MAX_TOKENS, TOKENS, Token, Vector, Weights, add, normalize};
use super::recipe::Recipe;
use super::store::Outcome;
use super::vectors;

/// Number of sections whose rows are passed to the callback together.
const BLOCK: usize = 4096;

/// The tokens of a document: the tokens of its title, followed by the tokens of its sections.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DocumentTokens {
    title: Vec<Token>,
    /// Whether the document has a title. Otherwise its path is used as the title.
    is_titled: bool,
    /// The tokens of all sections, and the end of each section.
    tokens: Vec<Token>,
    ends: Vec<usize>,
}

impl DocumentTokens {
    /// Creates a document without sections.
    pub fn new(title: &str, path: &[u8]) -> Self {
        let is_titled = title != String::from_utf8_lossy(path);
        let mut document = Self { is_titled, ..Self::default() };
        model::tokens(title, &mut document.title);
        document
    }

    /// Adds a section.
    pub fn push(&mut self, tokens: &[Token]) {
        self.tokens.extend_from_slice(tokens);
        self.ends.push(self.tokens.len());
    }

    fn sections(&self) -> impl Iterator<Item = &[Token]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.tokens[start..end])
    }

    /// Calls `each` with the rows of the sections, in blocks.
    pub fn rows(
        &self,
        weights: &Weights,
        recipe: &Recipe,
        each: &mut dyn FnMut(&[u8]) -> Outcome<()>,
    ) -> Outcome<()> {
        let title = weights.embed(&self.title);
        let section_vector = |tokens: &[Token]| {
            let mut vector = if recipe.pools_title && self.is_titled {
                weights.embed(&[&self.title, tokens].concat())
            } else {
                weights.embed(tokens)
            };
            add(&mut vector, recipe.title_in_vector, &title);
            normalize(&mut vector);
            vector
        };
        let mut rows = Vec::with_capacity(self.ends.len().min(BLOCK) * vectors::ROW);
        let mut sections = self.sections().map(section_vector);
        let (mut before, mut current): (Option<Vector>, _) = (None, sections.next());
        while let Some(vector) = current {
            let after = sections.next();
            let mut sum = vector;
            for beside in [&before, &after].into_iter().flatten() {
                add(&mut sum, recipe.beside, beside);
            }
            normalize(&mut sum);
            rows.extend_from_slice(&vectors::row(&sum));
            if rows.len() == BLOCK * vectors::ROW {
                each(&rows)?;
                rows.clear();
            }
            (before, current) = (Some(vector), after);
        }
        each(&rows)
    }
}

/// A temporary file of documents whose vectors are not computed yet, with the number of sections
/// that contain each token.
pub struct Spool {
    writer: BufWriter<File>,
    reader: Option<BufReader<File>>,
    /// Number of sections, by token.
    pub counts: Vec<u32>,
    /// The last section in which each token was counted.
    seen: Vec<u32>,
    sections: u32,
}

impl Spool {
    /// Creates an empty spool in the directory of an index.
    pub fn create_beside(database: &Path) -> Outcome<Self> {
        let directory = database.parent().unwrap_or(database);
        Ok(Self {
            writer: BufWriter::new(tempfile::tempfile_in(directory)?),
            reader: None,
            counts: vec![0; TOKENS],
            seen: vec![0; TOKENS],
            sections: 0,
        })
    }

    /// Appends a document.
    pub fn push(&mut self, document: &DocumentTokens) -> Outcome<()> {
        self.writer.write_all(&(document.ends.len() as u32).to_le_bytes())?;
        self.writer.write_all(&[document.is_titled.into()])?;
        self.push_tokens(&document.title)?;
        for tokens in document.sections() {
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

    /// Returns the next document. The first call returns the first document.
    pub fn next(&mut self) -> Outcome<Option<DocumentTokens>> {
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
        let mut is_titled = [0];
        reader.read_exact(&mut is_titled)?;
        let (title, is_titled) = (read_tokens(reader)?, is_titled != [0]);
        let mut document = DocumentTokens { title, is_titled, ..DocumentTokens::default() };
        for _ in 0..u32::from_le_bytes(count) {
            document.push(&read_tokens(reader)?);
        }
        Ok(Some(document))
    }
}

fn read_tokens(reader: &mut impl Read) -> Outcome<Vec<Token>> {
    let mut count = [0; 2];
    reader.read_exact(&mut count)?;
    let mut bytes = vec![0; usize::from(u16::from_le_bytes(count)) * 2];
    reader.read_exact(&mut bytes)?;
    let (tokens, _) = bytes.as_chunks::<2>();
    Ok(tokens.iter().map(|bytes| Token::from_le_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_returns_the_documents_in_order() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut spool = Spool::create_beside(&directory.path().join("x.db")).expect("made");
        let mut first = DocumentTokens::new("a title", b"a.md");
        first.push(&[7, 8, 7]);
        first.push(&[]);
        let second = DocumentTokens::new("", b"");
        spool.push(&first).expect("written");
        spool.push(&second).expect("written");
        assert_eq!((spool.counts[7], spool.counts[8], spool.counts[9]), (1, 1, 0));
        assert_eq!(spool.next().expect("read"), Some(first));
        assert_eq!(spool.next().expect("read"), Some(second));
        assert_eq!(spool.next().expect("read"), None);
        assert_eq!(std::fs::read_dir(directory.path()).expect("listed").count(), 0);
    }

    #[test]
    fn vectors_contain_a_part_of_the_sections_beside_them() {
        let mut document = DocumentTokens::new("", b"");
        for text in ["cats and dogs", "prime numbers", "integer arithmetic"] {
            let mut tokens = Vec::new();
            model::tokens(text, &mut tokens);
            document.push(&tokens);
        }
        let mut vectors: Vec<Vector> = Vec::new();
        let mut take = |rows: &[u8]| {
            vectors.extend(rows.chunks(vectors::ROW).map(vectors::vector));
            Ok(())
        };
        document.rows(&Weights::default(), &Recipe::default(), &mut take).expect("taken");
        let alone = Weights::default();
        let mut tokens = Vec::new();
        model::tokens("cats and dogs", &mut tokens);
        let cats = alone.embed(&tokens);
        let cosine = |left: &Vector, right: &Vector| -> f32 {
            left.iter().zip(right).map(|(x, y)| x * y).sum()
        };
        assert!(cosine(&cats, &vectors[1]) > cosine(&cats, &vectors[2]) + 0.1);
        assert!(cosine(&cats, &vectors[0]) > 0.9);
    }
}
