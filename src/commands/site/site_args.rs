//! The options that describe a site. They have the same names as in lychee.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::generator;
use folio_files::config::Setting;

const SITE: &str = "Site";

/// The options that describe a site.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SiteArgs {
    /// Resolve links by the rules of this site generator (default: detected, else github)
    #[arg(long, value_name = "NAME", help_heading = SITE)]
    #[arg(value_parser = PossibleValuesParser::new(generator::names()))]
    pub site: Option<String>,
    /// Directory that / refers to, instead of the root of the repository
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = SITE)]
    pub root_dir: Option<PathBuf>,
    /// Names of index files; a link to a directory without an index file is broken
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = SITE)]
    pub index_files: Vec<String>,
    /// File extensions that links may omit
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',', help_heading = SITE)]
    pub fallback_extensions: Vec<String>,
    /// Rewrite destinations before checking; the first matching REGEX applies
    #[arg(long, value_name = "REGEX REPLACEMENT", help_heading = SITE)]
    pub remap: Vec<String>,
}

impl SiteArgs {
    /// Adds the options in a configuration that are not given.
    pub fn add_configured(&mut self, settings: &BTreeMap<&'static str, Setting>) {
        let values = |flag| -> Vec<String> {
            settings.get(flag).map(|setting| setting.values.clone()).unwrap_or_default()
        };
        let add = |given: &mut Vec<String>, flag| {
            if given.is_empty() {
                *given = values(flag);
            }
        };
        self.site = self.site.take().or_else(|| values("site").pop());
        let root = || values("root-dir").pop().map(PathBuf::from);
        self.root_dir = self.root_dir.take().or_else(root);
        add(&mut self.index_files, "index-files");
        add(&mut self.fallback_extensions, "fallback-extensions");
        add(&mut self.remap, "remap");
    }
}
