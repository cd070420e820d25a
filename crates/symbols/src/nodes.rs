//! The grammars, and what their nodes mean.

use std::sync::OnceLock;

use tree_sitter::Language as Grammar;

use crate::languages::{Language, Row, Rule};

fn grammar(language: Language) -> Option<Grammar> {
    let grammar = match language {
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::C => tree_sitter_c::LANGUAGE.into(),
        Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        Language::Ruby => tree_sitter_ruby::LANGUAGE.into(),
        Language::Bash => tree_sitter_bash::LANGUAGE.into(),
        #[cfg(feature = "code-all")]
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
        #[cfg(feature = "code-all")]
        Language::Php => tree_sitter_php::LANGUAGE_PHP.into(),
        #[cfg(feature = "code-all")]
        Language::Kotlin => tree_sitter_kotlin_ng::LANGUAGE.into(),
        #[cfg(feature = "code-all")]
        Language::Swift => tree_sitter_swift::LANGUAGE.into(),
        #[cfg(feature = "code-all")]
        Language::Scala => tree_sitter_scala::LANGUAGE.into(),
        #[cfg(feature = "code-all")]
        Language::Lua => tree_sitter_lua::LANGUAGE.into(),
        #[cfg(feature = "code-all")]
        Language::Hcl => tree_sitter_hcl::LANGUAGE.into(),
        Language::Makefile | Language::Dockerfile | Language::Sql => return None,
    };
    Some(grammar)
}

/// What a node of a grammar means.
#[derive(Clone, Copy, Default)]
pub(crate) enum Meaning {
    /// Declarations may be inside.
    #[default]
    Other,
    Declaration(&'static Rule),
    /// A declaration that wraps another one, or declares a symbol itself.
    DeclaringWrapper(&'static Rule),
    Wrapper,
    Attribute,
    Comment,
    /// Changes the visibility of the nodes after it.
    Access,
    /// Variables in it are local.
    Function,
    /// No declarations are inside.
    Opaque,
}

/// The grammar of a language, and what its nodes mean.
pub(crate) struct Nodes {
    pub(crate) grammar: Grammar,
    meanings: Vec<Meaning>,
}

impl Nodes {
    /// Returns the nodes of a language, which are known after the first call.
    /// `None` if it has no grammar.
    pub(crate) fn of_language(language: Language) -> Option<&'static Self> {
        static NODES: [OnceLock<Option<Nodes>>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        let nodes = || Some(Self::new(grammar(language)?, language.row()));
        NODES[language as usize].get_or_init(nodes).as_ref()
    }

    fn new(grammar: Grammar, row: &'static Row) -> Self {
        let mut meanings = vec![Meaning::Other; grammar.node_kind_count()];
        for (id, meaning) in meanings.iter_mut().enumerate() {
            let id = id as u16;
            let Some(kind) = grammar.node_kind_for_id(id) else { continue };
            if !grammar.node_kind_is_named(id) {
                *meaning = Meaning::Opaque;
                continue;
            }
            let rule = row.rules.iter().copied().flatten().find(|rule| rule.node == kind);
            let has = |kinds: &[&str]| kinds.contains(&kind);
            *meaning = match rule {
                Some(rule) if has(row.wrappers) => Meaning::DeclaringWrapper(rule),
                Some(rule) => Meaning::Declaration(rule),
                None if has(row.wrappers) => Meaning::Wrapper,
                None if has(row.attributes) => Meaning::Attribute,
                None if has(row.functions) => Meaning::Function,
                None if kind.ends_with("comment") => Meaning::Comment,
                None if kind == "access_specifier" => Meaning::Access,
                None if has(row.opaque) => Meaning::Opaque,
                None => Meaning::Other,
            };
        }
        Self { grammar, meanings }
    }

    pub(crate) fn meaning(&self, kind: u16) -> Meaning {
        // The id of an error is beyond the others.
        self.meanings.get(usize::from(kind)).copied().unwrap_or_default()
    }
}
