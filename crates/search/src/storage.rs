//! Where collections are stored: the directories of the catalogue and of indexes, and the password
//! for databases. This crate does not read the environment of the process.

use std::fmt;
use std::sync::Arc;

use folio_files::state::StateDirectory;

/// The storage of collections.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// The directory of the catalogue of collections, if known.
    pub data: Option<StateDirectory>,
    /// The directory of indexes, if known.
    pub cache: Option<StateDirectory>,
    /// The password for PostgreSQL databases.
    pub database_password: Option<Secret>,
}

/// A secret that is never printed.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Creates a secret.
    pub fn new(word: &str) -> Self {
        Self(word.into())
    }

    /// Returns the secret as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}
