//! Uploads the changes of a local index to a database, in one transaction.

use pgvector::Vector;
use postgres::Transaction;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};
use sha2::{Digest, Sha256};

use super::local::LocalShard;
use super::open::Opened;
use super::server::{FORM, connect, with_address};
use super::shard::{Location, Shard, Which};
use super::storage::Storage;
use super::store::{Failure, Outcome, Store};
use super::vectors::{ROW, vector};
use super::writer::{BETWEEN, distinct_terms};
use folio_files::env::{Cancel, Env};
use folio_files::error::{Code, Error};
use folio_text::encoding::Encoding;

const SCHEMA: &str = "
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS folio;
CREATE TABLE IF NOT EXISTS folio.collections(
    id bigserial PRIMARY KEY, name text UNIQUE NOT NULL, form int NOT NULL, origin bytea,
    generation bigint, sections bigint NOT NULL, terms bigint NOT NULL, title_terms bigint NOT NULL,
    next_section bigint NOT NULL, weights bytea, language text NOT NULL);
CREATE TABLE IF NOT EXISTS folio.documents(
    collection bigint REFERENCES folio.collections ON DELETE CASCADE, id bigint, path bytea NOT NULL,
    title text NOT NULL, title_terms bytea NOT NULL, characters bigint NOT NULL, encoding text,
    hash bytea NOT NULL, first bigint NOT NULL, count bigint NOT NULL, text bytea NOT NULL,
    PRIMARY KEY(collection, id), UNIQUE(collection, path));
CREATE TABLE IF NOT EXISTS folio.sections(
    collection bigint REFERENCES folio.collections ON DELETE CASCADE, id bigint,
    document bigint NOT NULL, first_line bigint NOT NULL, last_line bigint NOT NULL,
    start bigint NOT NULL, size bigint NOT NULL, trail text NOT NULL, checksum bytea NOT NULL,
    length bigint NOT NULL, terms bytea NOT NULL, tokens bytea NOT NULL, words int[] NOT NULL,
    embedding vector(256), PRIMARY KEY(collection, id));
CREATE INDEX IF NOT EXISTS sections_words ON folio.sections USING gin(words);
CREATE TABLE IF NOT EXISTS folio.terms(
    collection bigint REFERENCES folio.collections ON DELETE CASCADE, id int NOT NULL,
    term text, word text, sections bigint NOT NULL, titles bigint NOT NULL,
    PRIMARY KEY(collection, term));
";

/// A document in the local index or in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    id: i64,
    hash: Vec<u8>,
    first: i64,
}

/// Uploads an updated index to a database.
pub fn publish(opened: &Opened, address: &str, storage: &Storage, env: &Env) -> Outcome<()> {
    try_to_publish(opened, address, storage, env).map_err(|failure| with_address(failure, address))
}

fn try_to_publish(opened: &Opened, address: &str, storage: &Storage, env: &Env) -> Outcome<()> {
    let mut client = connect(address, storage, &env.cancel)?;
    let mut transaction = client.transaction()?;
    // Only one run at a time creates and changes tables. Copying has no timeout.
    let patience = env.lock_timeout.as_millis().max(1);
    transaction.batch_execute(&format!(
        "SET LOCAL lock_timeout = {patience}; SET LOCAL statement_timeout = 0"
    ))?;
    transaction.batch_execute("SELECT pg_advisory_xact_lock(x'666f6c696f'::bigint)")?;
    transaction.batch_execute(SCHEMA)?;
    let store = opened.local()?;
    let mut job = Publishing { store, opened, transaction, collection: 0, env };
    job.begin()?;
    job.documents()?;
    job.terms()?;
    job.facts()?;
    Ok(job.transaction.commit()?)
}

/// Removes a collection from a database.
pub fn withdraw(name: &str, address: &str, storage: &Storage, cancel: &Cancel) -> Outcome<()> {
    let act = || -> Outcome<()> {
        let sql = "DELETE FROM folio.collections WHERE name = $1";
        connect(address, storage, cancel)?.execute(sql, &[&name])?;
        Ok(())
    };
    act().map_err(|failure| with_address(failure, address))
}

struct Publishing<'a> {
    store: &'a Store,
    opened: &'a Opened,
    transaction: Transaction<'a>,
    collection: i64,
    env: &'a Env,
}

impl Publishing<'_> {
    /// Finds the collection in the database, or creates it. Removes the contents of a different
    /// index.
    fn begin(&mut self) -> Outcome<()> {
        let name = &self.opened.place.id;
        let sql = "SELECT id, form, origin, generation FROM folio.collections WHERE name = $1";
        let origin = self.origin()?;
        let generation = self.store.number("generation")?.cast_signed();
        if let Some(row) = self.transaction.query_opt(sql, &[name])? {
            let (form, stored_origin, stored_generation): (i32, Option<Vec<u8>>, Option<i64>) =
                (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            if form == FORM
                && stored_origin.as_ref() == Some(&origin)
                && stored_generation == Some(generation)
            {
                self.collection = row.try_get(0)?;
                return Ok(());
            }
            self.transaction.execute("DELETE FROM folio.collections WHERE name = $1", &[name])?;
        }
        let sql = "INSERT INTO folio.collections(name, form, origin, generation, sections, terms, \
                   title_terms, next_section, language) VALUES($1, $2, $3, $4, 0, 0, 0, 0, '') \
                   RETURNING id";
        let row = self.transaction.query_one(sql, &[name, &FORM, &origin, &generation])?;
        self.collection = row.try_get(0)?;
        Ok(())
    }

    /// Returns an identifier for this index.
    fn origin(&self) -> Outcome<Vec<u8>> {
        let sql = "INSERT OR IGNORE INTO facts VALUES('origin', randomblob(16))";
        self.store.connection.execute(sql, [])?;
        self.store.fact("origin")?.ok_or(Failure::Damaged)
    }

    fn documents(&mut self) -> Outcome<()> {
        let sql = "SELECT id, hash, first FROM folio.documents WHERE collection = $1";
        let mut published = Vec::new();
        for row in self.transaction.query(sql, &[&self.collection])? {
            published.push(Known {
                id: row.try_get(0)?,
                hash: row.try_get(1)?,
                first: row.try_get(2)?,
            });
        }
        let sql = "SELECT id, hash, first FROM documents WHERE kind = 0 ORDER BY id";
        let mut statement = self.store.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Known { id: row.get(0)?, hash: row.get(1)?, first: row.get(2)? })
        })?;
        let indexed: Vec<Known> = rows.collect::<Result<_, _>>()?;
        published.sort_unstable_by_key(|known| known.id);
        let lacks = |list: &[Known], document: &Known| {
            list.binary_search_by_key(&document.id, |known| known.id)
                .map_or(true, |at| list[at] != *document)
        };
        let removed: Vec<i64> = published
            .iter()
            .filter(|document| lacks(&indexed, document))
            .map(|document| document.id)
            .collect();
        let of_sections = "DELETE FROM folio.sections WHERE collection = $1 AND document = ANY($2)";
        let of_documents = "DELETE FROM folio.documents WHERE collection = $1 AND id = ANY($2)";
        for sql in [of_sections, of_documents] {
            self.transaction.execute(sql, &[&self.collection, &removed])?;
        }
        let new: Vec<i64> = indexed
            .iter()
            .filter(|document| lacks(&published, document))
            .map(|document| document.id)
            .collect();
        for id in &new {
            self.env.cancel.check()?;
            self.document(*id)?;
        }
        self.sections(&new.iter().map(|id| id.cast_unsigned()).collect::<Vec<_>>())
    }

    fn document(&mut self, id: i64) -> Outcome<()> {
        let sql = "SELECT path, title, title_terms, characters, encoding, hash, first, count \
                   FROM documents WHERE id = ?1";
        let mut statement = self.store.connection.prepare(sql)?;
        let mut rows = statement.query([id])?;
        let row = rows.next()?.ok_or(Failure::Damaged)?;
        let (path, hash): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(5)?);
        let title_terms: Option<Vec<u8>> = row.get(2)?;
        let text = self.text(&path, &hash)?;
        let sql =
            "INSERT INTO folio.documents VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        self.transaction.execute(
            sql,
            &[
                &self.collection,
                &id,
                &path,
                &without_nul(&row.get::<_, String>(1)?),
                &title_terms.unwrap_or_default(),
                &row.get::<_, i64>(3)?,
                &row.get::<_, Option<String>>(4)?,
                &hash,
                &row.get::<_, i64>(6)?,
                &row.get::<_, i64>(7)?,
                &text,
            ],
        )?;
        Ok(())
    }

    /// Returns the text of a document. Fails if it has changed since it was indexed.
    fn text(&self, path: &[u8], hash: &[u8]) -> Outcome<Vec<u8>> {
        let file_path = self.opened.place.path(path);
        let mut text = Vec::new();
        let mut file = self.env.roots.open_file(&file_path)?;
        std::io::Read::read_to_end(&mut file, &mut text)?;
        // The hash does not include a byte order mark.
        let mark = Encoding::detect(&text).bom_length(&text);
        if Sha256::digest(&text[mark..])[..] == *hash {
            return Ok(text);
        }
        let error = Error::new(Code::IoError, "the file changed while it was read: try again");
        Err(error.at(&file_path).into())
    }

    /// Copies the sections of documents.
    fn sections(&mut self, documents: &[u64]) -> Outcome<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let statement = self.transaction.prepare("SELECT $1::vector")?;
        let vector_type = statement.params().first().cloned().ok_or(Failure::Damaged)?;
        let mut types = vec![Type::INT8; 7];
        types.extend([Type::TEXT, Type::BYTEA, Type::INT8, Type::BYTEA, Type::BYTEA]);
        types.extend([Type::INT4_ARRAY, vector_type]);
        let copy = self.transaction.copy_in("COPY folio.sections FROM STDIN BINARY")?;
        let mut out = BinaryCopyInWriter::new(copy, &types);
        let shard = LocalShard::new(self.store)?;
        for document in shard.documents(Which::Numbered(documents))? {
            for id in document.first..document.first + document.count {
                let Location { lines, start, size, trail, checksum, .. } = shard.location(id)?;
                let section = shard.sections(&[id])?.pop().ok_or(Failure::Damaged)?;
                let numbers =
                    [id, document.id, lines.0, lines.1, start, size].map(u64::cast_signed);
                let words = distinct_terms(&section.terms).into_iter().map(u32::cast_signed);
                let row = shard.rows(id, 1)?;
                let embedding = (row.len() == ROW).then(|| Vector::from(vector(&row).to_vec()));
                let mut values: Vec<&(dyn ToSql + Sync)> = vec![&self.collection];
                values.extend(numbers.iter().map(|number| number as &(dyn ToSql + Sync)));
                let trail = without_nul(&trail.join(BETWEEN));
                let length = section.length.cast_signed();
                let words: Vec<i32> = words.collect();
                values.extend([&trail as &(dyn ToSql + Sync), &checksum, &length]);
                values.extend([&section.terms as &(dyn ToSql + Sync), &section.tokens, &words]);
                values.push(&embedding);
                out.write(&values)?;
            }
        }
        out.finish()?;
        Ok(())
    }

    /// Replaces all terms, because the counts of terms change with every document.
    fn terms(&mut self) -> Outcome<()> {
        self.transaction
            .execute("DELETE FROM folio.terms WHERE collection = $1", &[&self.collection])?;
        let types = [Type::INT8, Type::INT4, Type::TEXT, Type::TEXT, Type::INT8, Type::INT8];
        let copy = self.transaction.copy_in("COPY folio.terms FROM STDIN BINARY")?;
        let mut out = BinaryCopyInWriter::new(copy, &types);
        let sql = "SELECT id, terms.term, word, ifnull(sections, 1), ifnull(titles, 0) \
                   FROM terms LEFT JOIN counts ON counts.term = id";
        let mut select = self.store.connection.prepare(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (id, term, word): (u32, String, Option<String>) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let (sections, titles): (i64, i64) = (row.get(3)?, row.get(4)?);
            out.write(&[&self.collection, &id.cast_signed(), &term, &word, &sections, &titles])?;
        }
        out.finish()?;
        Ok(())
    }

    fn facts(&mut self) -> Outcome<()> {
        let sql = "UPDATE folio.collections SET sections = $2, terms = $3, title_terms = $4, \
                   next_section = $5, weights = $6, language = $7 WHERE id = $1";
        let number = |name: &str| -> Outcome<i64> { Ok(self.store.number(name)?.cast_signed()) };
        let (sections, terms) = (number("sections")?, number("terms")?);
        let (title_terms, next) = (number("title_terms")?, number("next_section")?);
        let weights: Option<Vec<u8>> = self.store.fact("weights")?;
        let language: Option<String> = self.store.fact("language")?;
        let language = language.unwrap_or_default();
        self.transaction.execute(
            sql,
            &[&self.collection, &sections, &terms, &title_terms, &next, &weights, &language],
        )?;
        Ok(())
    }
}

/// Removes NUL characters, because the database does not support them.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}
