//! Reads the settings of a collection from the `folio.toml` in its directory.

use std::path::Path;

use toml::de::DeValue;

use super::catalogue::Settings;
use super::language::LANGUAGES;
use folio_files::config::{self, NAME, string, strings};
use folio_files::env::Env;
use folio_files::error::{Code, Error};

/// The contents of a `folio.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The name of the collection.
    pub name: Option<String>,
    /// The aliases of the collection.
    pub aliases: Vec<String>,
    /// The other settings.
    pub settings: Settings,
}

impl Manifest {
    /// Reads the `folio.toml` in a directory. Returns an empty manifest if there is none.
    pub fn load(directory: &Path, env: &Env) -> Result<Self, Error> {
        let path = directory.join(NAME);
        let text = match env.roots.open_file(&path) {
            Ok(file) => config::read(file, &path)?,
            Err(error) if error.code == Code::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        Self::parse(&text).map_err(|error| error.at(&path))
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let mut manifest = Self::default();
        config::for_each_key(text, |table, key, value| match table {
            None => manifest.set(key, value),
            Some(_) => Ok(()),
        })?;
        Ok(manifest)
    }

    fn set(&mut self, key: &str, value: &DeValue<'_>) -> Result<(), Error> {
        let settings = &mut self.settings;
        match key {
            "name" => self.name = Some(string(key, value)?),
            "description" => settings.description = Some(string(key, value)?),
            "version" => settings.version = Some(string(key, value)?),
            "language" => settings.language = Some(language(&string(key, value)?)?),
            "include" => settings.include = strings(key, value)?,
            "exclude" => settings.exclude = strings(key, value)?,
            "alias" => self.aliases = strings(key, value)?,
            other => return config::unknown_in_directory(other).map_or(Ok(()), Err),
        }
        Ok(())
    }
}

/// Converts the name of a language to lower case, and fails if the language is unknown.
pub fn language(name: &str) -> Result<String, Error> {
    let name = name.to_lowercase();
    let known: Vec<&str> = LANGUAGES.iter().map(|(known, _)| *known).collect();
    if known.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(Error::usage(format!("unknown language '{name}'"))
        .hint(format!("the languages are {}", known.join(", "))))
}

impl Settings {
    /// Replaces missing settings with those in `others`.
    pub fn with_defaults(&self, others: &Self) -> Self {
        let list = |preferred: &[String], fallback: &[String]| {
            if preferred.is_empty() { fallback.to_vec() } else { preferred.to_vec() }
        };
        Self {
            description: self.description.clone().or_else(|| others.description.clone()),
            version: self.version.clone().or_else(|| others.version.clone()),
            include: list(&self.include, &others.include),
            exclude: list(&self.exclude, &others.exclude),
            language: self.language.clone().or_else(|| others.language.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_parsed() {
        let text = "name = 'docs'\nalias = ['d', 'e']\ninclude = '*.md'\nlanguage = 'German'\n";
        let manifest = Manifest::parse(text).expect("a manifest");
        assert_eq!(manifest.name.as_deref(), Some("docs"));
        assert_eq!(manifest.aliases, ["d", "e"]);
        assert_eq!(manifest.settings.include, ["*.md"]);
        assert_eq!(manifest.settings.language.as_deref(), Some("german"));
        assert_eq!(Manifest::parse("").expect("empty"), Manifest::default());
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = Manifest::parse(text).expect_err(text);
        assert!(error.message.to_string().contains(expected), "{error}");
    }

    #[test]
    fn errors_name_the_line() {
        check("name = 'a'\n\ndescrption = 'x'\n", "line 3: unknown key 'descrption'");
        check("name = 5\n", "line 1: 'name' must be a string");
        check("language = 'klingon'\n", "line 1: unknown language 'klingon'");
        check("name = 'a'\nx y\n", "line 2");
    }
}
