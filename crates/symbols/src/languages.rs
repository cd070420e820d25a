//! The languages, and which nodes of their grammars declare symbols.

mod compiled;
#[cfg(feature = "code-all")]
mod more;
mod scripts;
mod without_grammar;

use crate::symbol::Kind;

use compiled::{C, CPP, GO, JAVA, RUST};
#[cfg(feature = "code-all")]
use more::{CSHARP, HCL, KOTLIN, LUA, PHP, SCALA, SWIFT};
use scripts::{BASH, JAVASCRIPT, PYTHON, RUBY, TSX, TYPESCRIPT};
use without_grammar::{DOCKERFILE, MAKEFILE, SQL};

/// A programming language whose symbols are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// Ruby.
    Ruby,
    /// Bash and POSIX shells.
    Bash,
    /// Makefiles of GNU make.
    Makefile,
    /// Dockerfiles.
    Dockerfile,
    /// SQL.
    Sql,
    /// C#.
    #[cfg(feature = "code-all")]
    CSharp,
    /// PHP.
    #[cfg(feature = "code-all")]
    Php,
    /// Kotlin.
    #[cfg(feature = "code-all")]
    Kotlin,
    /// Swift.
    #[cfg(feature = "code-all")]
    Swift,
    /// Scala.
    #[cfg(feature = "code-all")]
    Scala,
    /// Lua.
    #[cfg(feature = "code-all")]
    Lua,
    /// HCL, the language of Terraform.
    #[cfg(feature = "code-all")]
    Hcl,
}

/// The properties of a language.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Extensions of files in lower case, separated by spaces.
    pub(crate) extensions: &'static str,
    /// Names of files in lower case, separated by spaces.
    pub(crate) file_names: &'static str,
    /// Programs in the first line of a script, separated by spaces.
    pub(crate) interpreters: &'static str,
    /// The declarations, in lists that languages may share.
    pub(crate) rules: &'static [&'static [Rule]],
    /// Nodes around a declaration that belong to it, such as its decorators.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes before a declaration that belong to it, besides comments.
    pub(crate) attributes: &'static [&'static str],
    /// Nodes of which no part declares a symbol.
    pub(crate) opaque: &'static [&'static str],
    /// Functions without a name, in which variables are local.
    pub(crate) functions: &'static [&'static str],
    /// What begins a comment that takes the rest of its line, separated by spaces.
    pub(crate) comment: &'static str,
    /// Words that may precede a declaration in its line.
    pub(crate) prefixes: &'static [&'static str],
    /// Words that cannot be names, separated by spaces. Empty if the grammar refuses them.
    pub(crate) keywords: &'static str,
    /// How the visibility of a symbol is known.
    pub(crate) visibility: Visibility,
    /// How a body ends.
    pub(crate) bodies: Bodies,
    /// Modifiers that make a field a constant. Each element has words that are all needed.
    pub(crate) constants: &'static [&'static str],
    /// The ends of the names of annotations that make a function a test.
    pub(crate) test_annotations: &'static [&'static str],
}

/// How the body of a declaration ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// With a line of its own, such as `}` or `end`.
    Closed,
    /// By its indentation.
    Indented,
    /// With a brace if it begins with one, otherwise by its indentation.
    ClosedOrIndented,
}

/// Says that a node of a grammar declares a symbol.
pub(crate) struct Rule {
    /// The kind of the node.
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// The fields or the kinds of the nodes that may contain the body, separated by spaces. Empty if
    /// there is none.
    pub(crate) body: &'static str,
    pub(crate) place: Place,
}

/// Where a node contains the name of its symbol.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    /// In the field with this name.
    Field(&'static str),
    /// In the innermost declarator, as in C.
    Declarator,
    /// In the only declarator, as in C. A variable is a constant, or no symbol if it is a field.
    FunctionOrVariable,
    /// `impl Type`, `impl Trait for Type`.
    Implementation,
    /// The field `name`, with the type in the field `receiver` before it.
    Receiver,
    /// On the left of an assignment, if it is a plain name.
    Assigned,
    /// In the variable that a statement declares, which must be the only one.
    Variable,
    /// In the property to which a function or a class is assigned: `exports.name = function () {}`,
    /// `name: () => {}`.
    Property,
    /// `default`, if the value that a statement exports is a function or a class without a name.
    DefaultExport,
    /// In the field with this name, before parameters in square brackets.
    Generic(&'static str),
    /// `global`, in `declare global` of TypeScript.
    Global,
    /// The node itself.
    Itself,
    /// In the node at the end of a path of fields or kinds, if it is a plain name. All but the last
    /// must be the only ones.
    Path(&'static [&'static str]),
    /// As a path, with the type before it that the declaration extends, as in Kotlin.
    Extended(&'static [&'static str]),
    /// This one, of a declaration without a name.
    Fixed(&'static str),
    /// In the field `name`, or this one if there is none.
    NamedOr(&'static str),
    /// The field with the second name, after the first text.
    Prefixed(&'static str, &'static str),
    /// The field `name` of a class, an interface or an extension, as the keyword says.
    Class,
    /// The field `name`, or the declaration up to its body.
    Header,
    /// In the field `name`, after the tables of Lua that contain it.
    Indexed,
    /// The only variable in the list on the left of an assignment, or a field with a function.
    Listed,
    /// The address that Terraform gives a block: `aws_instance.web`, `data.aws_ami.image`,
    /// `var.name`, `local.name`.
    Address,
}

/// Where a node declares a symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Anywhere,
    /// Not in the body of a function. Outside of types, a member is a constant.
    OutsideFunctions,
    /// Only if it has a body.
    WithBody,
    /// Only directly in a node of this kind.
    Within(&'static str),
}

/// How the visibility of a symbol is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// By the modifier `pub`.
    Pub,
    /// By a name without a leading underscore.
    Underscore,
    /// By `export`.
    Export,
    /// By a capital letter.
    Capital,
    /// By the modifier `public` or `open`.
    Public,
    /// By the absence of these modifiers, separated by spaces, and of an access specifier.
    Without(&'static str),
    /// All symbols are public.
    All,
}

const fn rule(node: &'static str, kind: Kind, name: &'static str, body: &'static str) -> Rule {
    Rule { node, kind, name: Name::Field(name), body, place: Place::Anywhere }
}

impl Rule {
    const fn named(self, name: Name) -> Self {
        Self { name, ..self }
    }

    const fn only(self, place: Place) -> Self {
        Self { place, ..self }
    }
}

impl Language {
    const COUNT: usize = if cfg!(feature = "code-all") { 21 } else { 14 };

    /// Every language.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::Ruby,
        Self::Bash,
        Self::Makefile,
        Self::Dockerfile,
        Self::Sql,
        #[cfg(feature = "code-all")]
        Self::CSharp,
        #[cfg(feature = "code-all")]
        Self::Php,
        #[cfg(feature = "code-all")]
        Self::Kotlin,
        #[cfg(feature = "code-all")]
        Self::Swift,
        #[cfg(feature = "code-all")]
        Self::Scala,
        #[cfg(feature = "code-all")]
        Self::Lua,
        #[cfg(feature = "code-all")]
        Self::Hcl,
    ];

    pub(crate) const fn row(self) -> &'static Row {
        match self {
            Self::Rust => RUST,
            Self::Python => PYTHON,
            Self::JavaScript => JAVASCRIPT,
            Self::TypeScript => TYPESCRIPT,
            Self::Tsx => TSX,
            Self::Go => GO,
            Self::Java => JAVA,
            Self::C => C,
            Self::Cpp => CPP,
            Self::Ruby => RUBY,
            Self::Bash => BASH,
            Self::Makefile => MAKEFILE,
            Self::Dockerfile => DOCKERFILE,
            Self::Sql => SQL,
            #[cfg(feature = "code-all")]
            Self::CSharp => CSHARP,
            #[cfg(feature = "code-all")]
            Self::Php => PHP,
            #[cfg(feature = "code-all")]
            Self::Kotlin => KOTLIN,
            #[cfg(feature = "code-all")]
            Self::Swift => SWIFT,
            #[cfg(feature = "code-all")]
            Self::Scala => SCALA,
            #[cfg(feature = "code-all")]
            Self::Lua => LUA,
            #[cfg(feature = "code-all")]
            Self::Hcl => HCL,
        }
    }

    /// Returns the name on the command line and in results: `rust`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the name in sentences: `Rust`.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// Whether files in this language may contain declarations in another one.
    pub fn includes(self, other: Self) -> bool {
        let is_script =
            |language| matches!(language, Self::JavaScript | Self::TypeScript | Self::Tsx);
        let is_c = |language| matches!(language, Self::C | Self::Cpp);
        self == other || is_script(self) && is_script(other) || is_c(self) && is_c(other)
    }

    /// Returns the usual indentation of a body.
    pub const fn indentation(self) -> &'static str {
        match self {
            Self::Go | Self::Makefile => "\t",
            Self::Dockerfile => "",
            Self::JavaScript | Self::TypeScript | Self::Tsx | Self::Ruby | Self::Bash => "  ",
            Self::Rust | Self::Python | Self::Java | Self::C | Self::Cpp | Self::Sql => "    ",
            #[cfg(feature = "code-all")]
            Self::CSharp | Self::Php | Self::Kotlin | Self::Swift => "    ",
            #[cfg(feature = "code-all")]
            Self::Scala | Self::Lua | Self::Hcl => "  ",
        }
    }

    /// Returns the extensions of files in this language, in lower case, separated by spaces.
    pub const fn extensions(self) -> &'static str {
        self.row().extensions
    }

    /// Returns the names of files in this language, in lower case, separated by spaces.
    pub const fn file_names(self) -> &'static str {
        self.row().file_names
    }

    /// Returns the language that a code block names: by its name, or an extension of its files.
    pub fn of_code_block(word: &str) -> Option<Self> {
        let is_named = |language: &Self| {
            let Row { name, title, extensions, .. } = language.row();
            let mut names = [*name, *title].into_iter().chain(extensions.split(' '));
            names.any(|name| name.eq_ignore_ascii_case(word))
        };
        Self::ALL.into_iter().find(is_named).filter(|_| !word.is_empty())
    }

    /// Returns the language of a script from its first line, such as `#!/usr/bin/env python3`.
    pub fn of_script(first_line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(first_line.strip_prefix(b"#!")?).ok()?;
        let mut words = line.split_ascii_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        }
        let program = program.trim_end_matches(|character: char| {
            character.is_ascii_digit() || matches!(character, '.' | '-')
        });
        let runs = |language: &Self| {
            let mut names = language.row().interpreters.split(' ');
            names.any(|name| !name.is_empty() && name.trim_end_matches(['2', '3']) == program)
        };
        Self::ALL.into_iter().find(runs)
    }
}
