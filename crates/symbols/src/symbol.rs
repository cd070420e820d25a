//! The symbols of a text.

use folio_text::span::LineRange;

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A function that is not in a type.
    Function,
    /// A function of a type.
    Method,
    /// A struct, class, enum, union or alias of a type.
    Type,
    /// A trait, interface or protocol.
    Interface,
    /// An `impl` block.
    Implementation,
    /// A module or namespace.
    Module,
    /// A constant or variable outside of functions.
    Constant,
    /// A field, or a variant of an enum.
    Member,
    /// A macro.
    Macro,
    /// A test.
    Test,
    /// A rule of a makefile.
    Target,
    /// A stage of a Dockerfile.
    Stage,
    /// An object of a database that is neither a function nor a type, such as a table or a view, or a
    /// block of HCL.
    Object,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Function,
        Self::Method,
        Self::Type,
        Self::Interface,
        Self::Implementation,
        Self::Module,
        Self::Constant,
        Self::Member,
        Self::Macro,
        Self::Test,
        Self::Target,
        Self::Stage,
        Self::Object,
    ];

    /// Returns the name in results: `function`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Interface => "interface",
            Self::Implementation => "impl",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Member => "member",
            Self::Macro => "macro",
            Self::Test => "test",
            Self::Target => "target",
            Self::Stage => "stage",
            Self::Object => "object",
        }
    }

    /// Whether functions in a symbol of this kind are methods.
    #[cfg(feature = "grammars")]
    pub(crate) fn has_methods(self) -> bool {
        matches!(self, Self::Type | Self::Interface | Self::Implementation)
    }

    /// Whether a symbol of this kind runs, so that variables in it are local.
    #[cfg(feature = "grammars")]
    pub(crate) fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test)
    }
}

/// A declaration, which takes whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The kind.
    pub kind: Kind,
    /// The name. An `impl` block is called `impl Trait for Type`.
    pub name: String,
    /// Another name of an `impl` block in paths: the name of its type.
    pub alias: Option<String>,
    /// The name of the type of a method that is declared outside of it, as in Go and C++.
    pub qualifier: Option<String>,
    /// The index of the innermost symbol around this one.
    pub parent: Option<usize>,
    /// The lines, from the comment and the attributes that belong to the symbol to its end.
    pub lines: LineRange,
    /// The first line of the declaration, after comments and attributes.
    pub signature_line: u64,
    /// The line of the name, or the first line of the declaration if the name is composed.
    pub name_line: u64,
    /// The body. `None` if it has no lines apart from those of the signature and of the end, as in
    /// `fn f() {}` or `const A: u8 = 1;`.
    pub body: Option<Body>,
    /// The declaration without its body, in one line.
    pub signature: String,
    /// Whether other files or packages can use the symbol, as far as the declaration says.
    pub is_public: bool,
}

/// The lines of a symbol between its signature and its closing brace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The first line.
    pub start: u64,
    /// The line after the last one. It is the first line if there is no line, as in `{` and `}` on
    /// adjacent lines.
    pub end: u64,
    /// A line that has the indentation of the body. `None` if there is none.
    pub model: Option<u64>,
    /// The offset at which a comma is missing before another element can follow the last one.
    pub missing_comma: Option<usize>,
}

impl Body {
    /// Returns the lines. `None` if there are none.
    pub fn lines(&self) -> Option<LineRange> {
        LineRange::new(self.start, self.end - 1)
    }
}

/// The symbols of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// The symbols, ordered by first line. Each symbol is followed by those in it.
    pub symbols: Vec<Symbol>,
    /// The mistakes in the syntax, in order.
    pub errors: Vec<SyntaxError>,
}

/// A mistake in the syntax of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The lines that do not have the syntax of the language.
    pub lines: LineRange,
    /// What is wrong.
    pub message: &'static str,
}
