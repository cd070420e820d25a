//! Queries on an index in a PostgreSQL database with pgvector. Several machines can share the
//! database. It also contains the texts, because the readers may not have the files.

use std::cell::RefCell;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use pgvector::Vector;
use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::model::Weights;
use super::shard::{
    Candidate, Candidates, Criteria, DocumentFacts, Frequency, Location, Section, Shard, Totals,
    Which,
};
use super::storage::Storage;
use super::store::{Failure, Outcome};
use super::vectors::{self, Probe};
use super::writer::{decode_names, searched_headings};
use folio_files::env::Cancel;
use folio_files::error::{Code, Error, Hint};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval between checks of an idle connection.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// The hint for a database that cannot be reached.
const UNREACHED: &str = "check with psql that the server is running and can be reached";
/// The version of the tables. Other versions are refused.
pub(super) const FORM: i32 = 2;

/// A collection in an open database.
pub struct Server {
    client: RefCell<Client>,
    /// The URL of the database without the user name.
    pub shown: String,
    collection: i64,
    totals: Totals,
    weights: Option<Weights>,
    /// The language of the documents.
    pub language: String,
}

impl From<postgres::Error> for Failure {
    fn from(error: postgres::Error) -> Self {
        if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) {
            let message = "timed out waiting for another run that writes to the database";
            return Self::Failed(Error::new(Code::Locked, message));
        }
        let message = match error.as_db_error() {
            Some(error) => format!("the database reports: {}", error.message()),
            None => format!("the database cannot be used: {}", with_cause(&error)),
        };
        Self::Failed(Error::new(Code::IoError, message))
    }
}

fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", with_cause(cause)),
        None => error.to_string(),
    }
}

/// Parses the URL of a database.
///
/// # Errors
///
/// Fails if the URL is invalid. Also fails if it contains a password, because the URL is stored.
pub fn config(address: &str) -> Result<Config, Error> {
    let is_url = ["postgres://", "postgresql://"].iter().any(|start| address.starts_with(start));
    let hint = || Hint::from("--store postgres://USER@HOST/DATABASE");
    if !is_url {
        let message = "--store: expected the URL of a PostgreSQL database";
        return Err(Error::usage(message).hint(hint()));
    }
    // With TLS, the certificate and its name are always verified.
    let mode = |address: &str, mode| address.replace(mode, "sslmode=require");
    let address = mode(&mode(address, "sslmode=verify-full"), "sslmode=verify-ca");
    // The parser's message may contain the password.
    let parsed = address.parse::<Config>();
    let config =
        parsed.map_err(|_| Error::usage("--store: invalid URL of a database").hint(hint()))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(Error::usage("--store: the URL has no host").hint(hint()));
    }
    if config.get_password().is_some() {
        let message = "--store: the URL must not contain a password, because it is stored";
        return Err(Error::usage(message).hint("set PGPASSWORD instead"));
    }
    Ok(config)
}

/// Removes the user name from a URL, for messages.
fn without_user(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let rest = rest.split_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{}", rest.split(['?', '#']).next().unwrap_or_default())
}

/// Connects to a database within the timeout.
pub(super) fn connect(address: &str, storage: &Storage, cancel: &Cancel) -> Outcome<Client> {
    let mut config = config(address)?;
    if let Some(password) = &storage.database_password {
        config.password(password.as_str());
    }
    let timeout = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
    config.connect_timeout(timeout).application_name("folio");
    config.keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE).keepalives_retries(3);
    let (sender, receiver) = mpsc::channel();
    // The connection is opened in a thread, because a server may accept it but never answer.
    std::thread::spawn(move || {
        let _ = sender.send(open(&config));
    });
    let until = Instant::now() + timeout;
    loop {
        cancel.check()?;
        match receiver.recv_timeout(Duration::from_millis(50)) {
            Ok(opened) => return opened,
            Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
            Err(_) => {
                let message = format!("the database does not answer within {timeout:?}");
                return Err(Error::new(Code::IoError, message).hint(UNREACHED).into());
            }
        }
    }
}

fn open(config: &Config) -> Outcome<Client> {
    let is_socket = |host: &Host| matches!(host, Host::Unix(_));
    let is_plain =
        config.get_ssl_mode() == SslMode::Disable || config.get_hosts().iter().all(is_socket);
    let opened = if is_plain {
        config.connect(NoTls)
    } else {
        // This fails if a provider was already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (tls, _) = MakeRustlsConnect::with_native_certs().map_err(|_| {
            let message = "this system has no certificates to verify the database";
            let hint = "set SSL_CERT_FILE, or add ?sslmode=disable to the address";
            Error::new(Code::IoError, message).hint(hint)
        })?;
        config.connect(tls)
    };
    let mut client = opened.map_err(not_opened)?;
    let timeout = STATEMENT_TIMEOUT.as_millis();
    client.batch_execute(&format!("SET statement_timeout = {timeout}"))?;
    Ok(client)
}

/// Adds a hint to the error of a failed connection.
fn not_opened(error: postgres::Error) -> Failure {
    let wrong = [SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION];
    let message = with_cause(&error);
    let hint = match error.code() {
        Some(code) if wrong.contains(code) => "set PGPASSWORD to the password of its user",
        None if message.contains("password") => "set PGPASSWORD to the password of its user",
        None if message.contains("not valid for name") => "use a host name in its certificate",
        None if message.contains("certificate") => {
            "set SSL_CERT_FILE to the certificate of its issuer"
        }
        _ => UNREACHED,
    };
    match Failure::from(error) {
        Failure::Failed(error) => error.hint(hint).into(),
        other => other,
    }
}

/// Adds the URL of the database to a failure.
pub(super) fn with_address(failure: Failure, address: &str) -> Failure {
    match failure {
        Failure::Failed(error) if error.path.is_none() => {
            Failure::Failed(error.at(Path::new(&without_user(address))))
        }
        other => other,
    }
}

impl Server {
    /// Opens a snapshot of a collection in a database.
    pub fn open(address: &str, name: &str, storage: &Storage, cancel: &Cancel) -> Outcome<Self> {
        Self::try_to_open(address, name, storage, cancel)
            .map_err(|failure| with_address(failure, address))
    }

    fn try_to_open(address: &str, name: &str, storage: &Storage, cancel: &Cancel) -> Outcome<Self> {
        let mut client = connect(address, storage, cancel)?;
        client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        let sql = "SELECT id, form, sections, terms, title_terms, next_section, weights, language \
                   FROM folio.collections WHERE name = $1";
        let missing = || {
            let message = format!("the database has no collection '{name}'");
            let hint = Hint::command("collection", ["add", name, "DIR", "--store", address]);
            let error = Error::new(Code::CollectionNotFound, message);
            Failure::Failed(error.hint(hint.why("to store a directory there")))
        };
        let row = match client.query_opt(sql, &[&name]) {
            Ok(row) => row.ok_or_else(missing)?,
            Err(error) => {
                let missing_codes = [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME];
                let is_none = error.code().is_some_and(|code| missing_codes.contains(code));
                return Err(if is_none { missing() } else { error.into() });
            }
        };
        let form: i32 = row.try_get(1)?;
        if form != FORM {
            let message = format!(
                "the collection was stored by another version of folio (its format is {form}, \
                 this one's {FORM})"
            );
            return Err(Error::new(Code::IoError, message).into());
        }
        let number = |at: usize| -> Outcome<u64> { number(&row, at) };
        let totals = Totals {
            sections: number(2)?,
            terms: number(3)?,
            title_terms: number(4)?,
            end: number(5)?,
        };
        let weights: Option<Vec<u8>> = row.try_get(6)?;
        Ok(Self {
            shown: without_user(address),
            collection: row.try_get(0)?,
            totals,
            weights: weights.and_then(|bytes| Weights::of_bytes(&bytes)),
            language: row.try_get(7)?,
            client: RefCell::new(client),
        })
    }

    /// Runs a query whose first parameter is the collection.
    fn rows_of(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Outcome<Vec<Row>> {
        let all: Vec<&(dyn ToSql + Sync)> =
            std::iter::once(&self.collection as &(dyn ToSql + Sync))
                .chain(values.iter().copied())
                .collect();
        Ok(self.client.borrow_mut().query(sql, &all)?)
    }

    fn candidates_by_terms(
        &self,
        criteria: &Criteria<'_>,
        allowed: Option<&Vec<i64>>,
    ) -> Outcome<Vec<Candidate>> {
        let numbers: Vec<i32> =
            criteria.terms.iter().map(|term| term.number.cast_signed()).collect();
        let values: Vec<f32> = criteria.terms.iter().map(|term| term.rarity).collect();
        let probe = criteria.probe.as_ref().map(|probe| Vector::from(probe.vector()));
        let sql = "SELECT id, coalesce((SELECT sum(worth) FROM unnest($2::int[], $3::real[]) \
                   AS asked(word, worth) WHERE asked.word = ANY(words)), 0)::real AS sum, \
                   coalesce(-(embedding <#> $4::vector), 0)::real AS cosine \
                   FROM folio.sections WHERE collection = $1 AND (words && $2 OR $5) \
                   AND ($6::bigint[] IS NULL OR id = ANY($6)) \
                   ORDER BY sum DESC, cosine DESC, id LIMIT $7";
        let count = criteria.by_terms as i64;
        let rows =
            self.rows_of(sql, &[&numbers, &values, &probe, &criteria.all, &allowed, &count])?;
        rows.iter().map(|row| candidate(row, Some(1), 2)).collect()
    }

    fn nearest_candidates(
        &self,
        probe: &Probe,
        allowed: Option<&Vec<i64>>,
        count: usize,
    ) -> Outcome<Vec<Candidate>> {
        let probe = Vector::from(probe.vector());
        let sql = "SELECT id, (-(embedding <#> $2))::real FROM folio.sections \
                   WHERE collection = $1 AND embedding IS NOT NULL \
                   AND ($3::bigint[] IS NULL OR id = ANY($3)) \
                   ORDER BY embedding <#> $2, id LIMIT $4";
        let rows = self.rows_of(sql, &[&probe, &allowed, &(count as i64)])?;
        rows.iter().map(|row| candidate(row, None, 1)).collect()
    }

    /// Returns the number of documents.
    pub fn document_count(&self) -> Outcome<u64> {
        let sql = "SELECT count(*) FROM folio.documents WHERE collection = $1";
        self.rows_of(sql, &[])?.first().map_or(Ok(0), |row| number(row, 0))
    }

    /// Returns the text of a document, or a part of it. Returns `None` if there is no such
    /// document.
    pub fn text(&self, path: &[u8], part: Option<(u64, u64)>) -> Outcome<Option<Vec<u8>>> {
        let (start, size) = part.unwrap_or((0, i32::MAX as u64));
        let sql = "SELECT substring(text FROM $3 FOR $4) FROM folio.documents \
                   WHERE collection = $1 AND path = $2";
        let [start, size] = [start + 1, size]
            .map(|number| i32::try_from(number.min(i32::MAX as u64)).unwrap_or(i32::MAX));
        let size = size.min(i32::MAX - start);
        let rows = self.rows_of(sql, &[&path, &start, &size])?;
        rows.first().map(|row| Ok(row.try_get(0)?)).transpose()
    }
}

pub(super) fn number(row: &Row, at: usize) -> Outcome<u64> {
    let value: i64 = row.try_get(at)?;
    u64::try_from(value).map_err(|_| Failure::Damaged)
}

fn candidate(row: &Row, sum: Option<usize>, cosine: usize) -> Outcome<Candidate> {
    Ok(Candidate {
        shard: 0,
        section: number(row, 0)?,
        sum: sum.map_or(Ok(0.0), |at| row.try_get(at))?,
        cosine: row.try_get(cosine)?,
    })
}

fn document(row: &Row) -> Outcome<DocumentFacts> {
    Ok(DocumentFacts {
        id: number(row, 0)?,
        path: row.try_get(1)?,
        title: row.try_get(2)?,
        title_terms: row.try_get(3)?,
        first: number(row, 4)?,
        count: number(row, 5)?,
        encoding: row.try_get(6)?,
        characters: number(row, 7)?,
    })
}

impl Shard for &Server {
    fn totals(&self) -> Totals {
        self.totals
    }

    fn frequencies(&self, terms: &[&str]) -> Outcome<Vec<Frequency>> {
        let sql = "SELECT id, coalesce(sections, 0), coalesce(titles, 0) \
                   FROM unnest($2::text[]) WITH ORDINALITY AS asked(key, place) \
                   LEFT JOIN folio.terms ON collection = $1 AND term = key ORDER BY place";
        let frequency = |row: &Row| {
            let id: Option<i32> = row.try_get(0)?;
            Ok(Frequency {
                term: id.map(i32::cast_unsigned),
                sections: number(row, 1)?,
                titles: number(row, 2)?,
            })
        };
        self.rows_of(sql, &[&terms])?.iter().map(frequency).collect()
    }

    fn documents_of(&self, sections: &[u64]) -> Outcome<Vec<u64>> {
        let ids: Vec<i64> = sections.iter().map(|id| id.cast_signed()).collect();
        let sql = "SELECT document FROM unnest($2::bigint[]) WITH ORDINALITY AS asked(key, place) \
                   JOIN folio.sections ON collection = $1 AND id = key ORDER BY place";
        let rows = self.rows_of(sql, &[&ids])?;
        rows.iter().map(|row| number(row, 0)).collect()
    }

    fn postings(&self, terms: &[&str], each: &mut dyn FnMut(u64)) -> Outcome<()> {
        let sql = "SELECT id FROM folio.sections WHERE collection = $1 AND words @> \
                   (SELECT array_agg(id) FROM folio.terms WHERE collection = $1 AND term = ANY($2)) \
                   ORDER BY id";
        for row in self.rows_of(sql, &[&terms])? {
            each(number(&row, 0)?);
        }
        Ok(())
    }

    fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    fn candidates(&self, criteria: &[Criteria<'_>]) -> Outcome<Vec<Candidates>> {
        let mut all = Vec::new();
        for criteria in criteria {
            let allowed: Option<Vec<i64>> = criteria.allowed.as_ref().map(|allowed| {
                let places = (0..).zip(allowed).filter(|(_, allowed)| **allowed);
                places.map(|(id, _)| id).collect()
            });
            let mut found = Candidates::default();
            if criteria.by_terms > 0 {
                found.by_terms = self.candidates_by_terms(criteria, allowed.as_ref())?;
            }
            if let Some(probe) = &criteria.probe {
                found.nearest =
                    self.nearest_candidates(probe, allowed.as_ref(), criteria.nearest)?;
            }
            // Only terms that occur in sections have numbers.
            found.has_terms = !criteria.terms.is_empty();
            all.push(found);
        }
        Ok(all)
    }

    fn rows(&self, first: u64, count: u64) -> Outcome<Vec<u8>> {
        let sql = "SELECT embedding FROM folio.sections WHERE collection = $1 \
                   AND embedding IS NOT NULL AND id >= $2 AND id < $3 ORDER BY id";
        let [first, end] = [first, first + count].map(u64::cast_signed);
        let mut found = Vec::new();
        for row in self.rows_of(sql, &[&first, &end])? {
            let vector: Vector = row.try_get(0)?;
            let vector = vector.as_slice().try_into().map_err(|_| Failure::Damaged)?;
            found.extend_from_slice(&vectors::row(&vector));
        }
        Ok(found)
    }

    fn sections(&self, ids: &[u64]) -> Outcome<Vec<Section>> {
        let ids: Vec<i64> = ids.iter().map(|id| id.cast_signed()).collect();
        let sql = "SELECT document, length, terms, tokens, trail FROM folio.sections \
                   JOIN unnest($2::bigint[]) WITH ORDINALITY AS asked(key, place) ON key = id \
                   WHERE collection = $1 ORDER BY place";
        let rows = self.rows_of(sql, &[&ids])?;
        if rows.len() != ids.len() {
            return Err(Failure::Damaged);
        }
        let section = |row: &Row| {
            Ok(Section {
                document: number(row, 0)?,
                length: number(row, 1)?,
                terms: row.try_get(2)?,
                tokens: row.try_get(3)?,
                headings: searched_headings(row.try_get(4)?, ""),
            })
        };
        rows.iter().map(section).collect()
    }

    fn location(&self, id: u64) -> Outcome<Location> {
        let sql = "SELECT document, first_line, last_line, start, size, trail, checksum \
                   FROM folio.sections WHERE collection = $1 AND id = $2";
        let rows = self.rows_of(sql, &[&id.cast_signed()])?;
        let row = rows.first().ok_or(Failure::Damaged)?;
        Ok(Location {
            document: number(row, 0)?,
            lines: (number(row, 1)?, number(row, 2)?),
            start: number(row, 3)?,
            size: number(row, 4)?,
            trail: decode_names(row.try_get(5)?, ""),
            checksum: row.try_get(6)?,
        })
    }

    fn documents(&self, which: Which<'_>) -> Outcome<Vec<DocumentFacts>> {
        let sql = "SELECT id, path, title, title_terms, first, count, encoding, characters \
                   FROM folio.documents WHERE collection = $1";
        let rows = match which {
            Which::All => self.rows_of(sql, &[])?,
            Which::At(path) => self.rows_of(&format!("{sql} AND path = $2"), &[&path])?,
            Which::Page(limit, offset) => {
                let sql = format!("{sql} ORDER BY path LIMIT $2 OFFSET $3");
                let [limit, offset] =
                    [limit, offset].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
                self.rows_of(&sql, &[&limit, &offset])?
            }
            Which::Numbered(ids) => {
                let ids: Vec<i64> = ids.iter().map(|id| id.cast_signed()).collect();
                self.rows_of(&format!("{sql} AND id = ANY($2)"), &[&ids])?
            }
        };
        rows.iter().map(document).collect()
    }

    fn trails(&self, each: &mut dyn FnMut(u64, &[String])) -> Outcome<()> {
        let sql = "SELECT id, trail FROM folio.sections WHERE collection = $1";
        for row in self.rows_of(sql, &[])? {
            each(number(&row, 0)?, &decode_names(row.try_get(1)?, ""));
        }
        Ok(())
    }

    fn words(&self, initial: &str, each: &mut dyn FnMut(&str, &str)) -> Outcome<()> {
        let sql = "SELECT term, coalesce(word, term) FROM folio.terms WHERE collection = $1 \
                   AND starts_with(term, $2) AND sections > 0 ORDER BY term";
        for row in self.rows_of(sql, &[&initial])? {
            each(row.try_get(0)?, row.try_get(1)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_their_users() {
        for (address, expected) in [
            (
                "postgres://ann@db.example:5432/docs?sslmode=require",
                "postgres://db.example:5432/docs",
            ),
            ("postgresql:///docs?host=/run/postgresql", "postgresql:///docs"),
            ("postgres://db/docs?sslmode=verify-full", "postgres://db/docs"),
        ] {
            assert_eq!(without_user(address), expected);
            assert!(config(address).is_ok(), "{address}");
        }
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for address in ["postgres://ann:hidden@db/docs", "postgres://db/docs?password=hidden"] {
            let error = config(address).expect_err(address);
            assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
        }
        for odd in ["mysql://db", "docs.db", "postgres://ann:hidden@db:port/x"] {
            let error = config(odd).expect_err(odd);
            assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
        }
    }
}
