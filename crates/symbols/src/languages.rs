//! The languages, and which nodes of their grammars declare symbols.

use crate::symbol::Kind;

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
    /// What begins a comment that takes the rest of its line.
    pub(crate) comment: &'static str,
    /// Words that may precede a declaration in its line.
    pub(crate) prefixes: &'static [&'static str],
    /// Words that cannot be names, separated by spaces. Empty if the grammar refuses them.
    pub(crate) keywords: &'static str,
    /// How the visibility of a symbol is known.
    pub(crate) visibility: Visibility,
    /// Whether the lines of a body end with a line of its own, such as `}`.
    pub(crate) closes_bodies: bool,
}

/// Says that a node of a grammar declares a symbol.
pub(crate) struct Rule {
    /// The kind of the node.
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// The field or the kind of the node that contains the body. Empty if there is none.
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
    /// `default`, if the value that a statement exports is a function or a class without a name.
    DefaultExport,
    /// In the field with this name, before parameters in square brackets.
    Generic(&'static str),
    /// `global`, in `declare global` of TypeScript.
    Global,
    /// The node itself.
    Itself,
}

/// Where a node declares a symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Anywhere,
    /// Not in the body of a function.
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
    /// By the modifier `public`.
    Public,
    /// By the absence of `static` and of an access specifier.
    NotStatic,
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

const RUST: &Row = &Row {
    name: "rust",
    title: "Rust",
    extensions: "rs",
    file_names: "",
    interpreters: "rust-script",
    rules: &[&[
        rule("function_item", Kind::Function, "name", "body"),
        rule("function_signature_item", Kind::Function, "name", ""),
        rule("struct_item", Kind::Type, "name", "body"),
        rule("enum_item", Kind::Type, "name", "body"),
        rule("union_item", Kind::Type, "name", "body"),
        rule("type_item", Kind::Type, "name", ""),
        rule("associated_type", Kind::Type, "name", ""),
        rule("trait_item", Kind::Interface, "name", "body"),
        rule("impl_item", Kind::Implementation, "", "body").named(Name::Implementation),
        rule("mod_item", Kind::Module, "name", "body"),
        rule("const_item", Kind::Constant, "name", "").only(Place::OutsideFunctions),
        rule("static_item", Kind::Constant, "name", "").only(Place::OutsideFunctions),
        rule("macro_definition", Kind::Macro, "name", ""),
        rule("enum_variant", Kind::Member, "name", "body"),
    ]],
    wrappers: &[],
    attributes: &["attribute_item"],
    opaque: &["token_tree", "string_literal", "use_declaration", "parameters"],
    functions: &["closure_expression", "block"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        as async await break const continue crate dyn else enum extern false fn for if impl in let \
        loop match mod move mut pub ref return self Self static struct super trait true type \
        unsafe use where while",
    visibility: Visibility::Pub,
    closes_bodies: true,
};

const PYTHON: &Row = &Row {
    name: "python",
    title: "Python",
    extensions: "py pyi pyw",
    file_names: "sconstruct sconscript",
    interpreters: "python python2 python3 pypy pypy3",
    rules: &[&[
        rule("function_definition", Kind::Function, "name", "body"),
        rule("class_definition", Kind::Type, "name", "body"),
        rule("expression_statement", Kind::Constant, "", "")
            .named(Name::Assigned)
            .only(Place::OutsideFunctions),
        rule("type_alias_statement", Kind::Type, "", "").named(Name::Generic("left")),
    ]],
    wrappers: &["decorated_definition"],
    attributes: &[],
    opaque: &["string", "parameters", "argument_list", "import_statement", "import_from_statement"],
    functions: &["lambda"],
    comment: "#",
    prefixes: &[],
    keywords: "\
        False None True and as assert async await break class continue def del elif else except \
        finally for from global if import in is lambda nonlocal not or pass raise return try while \
        with yield",
    visibility: Visibility::Underscore,
    closes_bodies: false,
};

/// The rules of JavaScript that TypeScript has too.
const JAVASCRIPT_RULES: &[Rule] = &[
    rule("export_statement", Kind::Function, "", "").named(Name::DefaultExport),
    rule("function_declaration", Kind::Function, "name", "body"),
    rule("generator_function_declaration", Kind::Function, "name", "body"),
    rule("class_declaration", Kind::Type, "name", "body"),
    rule("method_definition", Kind::Method, "name", "body"),
    rule("lexical_declaration", Kind::Constant, "", "").named(Name::Variable),
    rule("variable_declaration", Kind::Constant, "", "").named(Name::Variable),
];

const JAVASCRIPT: &Row = &Row {
    name: "javascript",
    title: "JavaScript",
    extensions: "js mjs cjs jsx",
    file_names: "",
    interpreters: "node nodejs bun",
    rules: &[JAVASCRIPT_RULES, &[rule("field_definition", Kind::Member, "property", "")]],
    wrappers: &["export_statement"],
    attributes: &["decorator"],
    opaque: &["string", "template_string", "import_statement", "formal_parameters", "regex"],
    functions: &[
        "arrow_function",
        "function_expression",
        "generator_function",
        "class_static_block",
    ],
    comment: "//",
    prefixes: &[],
    keywords: "",
    visibility: Visibility::Export,
    closes_bodies: true,
};

const TYPESCRIPT_RULES: &[Rule] = &[
    rule("function_signature", Kind::Function, "name", ""),
    rule("abstract_class_declaration", Kind::Type, "name", "body"),
    rule("interface_declaration", Kind::Interface, "name", "body"),
    rule("type_alias_declaration", Kind::Type, "name", ""),
    rule("enum_declaration", Kind::Type, "name", "body"),
    rule("enum_assignment", Kind::Member, "name", ""),
    rule("property_identifier", Kind::Member, "", "")
        .named(Name::Itself)
        .only(Place::Within("enum_body")),
    rule("internal_module", Kind::Module, "name", "body"),
    rule("module", Kind::Module, "name", "body"),
    rule("ambient_declaration", Kind::Module, "", "").named(Name::Global),
    rule("method_signature", Kind::Method, "name", ""),
    rule("abstract_method_signature", Kind::Method, "name", ""),
    rule("property_signature", Kind::Member, "name", ""),
    rule("public_field_definition", Kind::Member, "name", ""),
];

const TYPESCRIPT: &Row = &Row {
    name: "typescript",
    title: "TypeScript",
    extensions: "ts mts cts",
    interpreters: "ts-node deno tsx",
    rules: &[JAVASCRIPT_RULES, TYPESCRIPT_RULES],
    wrappers: &["export_statement", "ambient_declaration", "expression_statement"],
    opaque: &[
        "string",
        "template_string",
        "import_statement",
        "formal_parameters",
        "type_annotation",
        "object_type",
        "regex",
    ],
    ..*JAVASCRIPT
};

const TSX: &Row =
    &Row { name: "tsx", title: "TSX", extensions: "tsx", interpreters: "", ..*TYPESCRIPT };

const GO: &Row = &Row {
    name: "go",
    title: "Go",
    extensions: "go",
    file_names: "",
    interpreters: "",
    rules: &[&[
        rule("function_declaration", Kind::Function, "name", "body"),
        rule("method_declaration", Kind::Method, "name", "body").named(Name::Receiver),
        rule("type_spec", Kind::Type, "name", ""),
        rule("type_alias", Kind::Type, "name", ""),
        rule("const_spec", Kind::Constant, "name", "").only(Place::OutsideFunctions),
        rule("var_spec", Kind::Constant, "name", "").only(Place::OutsideFunctions),
        rule("method_elem", Kind::Method, "name", ""),
    ]],
    wrappers: &["type_declaration", "const_declaration", "var_declaration"],
    attributes: &[],
    opaque: &["interpreted_string_literal", "raw_string_literal", "parameter_list"],
    functions: &["func_literal"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        break case chan const continue default defer else fallthrough for func go goto if import \
        interface map package range return select struct switch type var",
    visibility: Visibility::Capital,
    closes_bodies: true,
};

const JAVA: &Row = &Row {
    name: "java",
    title: "Java",
    extensions: "java",
    file_names: "",
    interpreters: "",
    rules: &[&[
        rule("class_declaration", Kind::Type, "name", "body"),
        rule("record_declaration", Kind::Type, "name", "body"),
        rule("enum_declaration", Kind::Type, "name", "body"),
        rule("interface_declaration", Kind::Interface, "name", "body"),
        rule("annotation_type_declaration", Kind::Interface, "name", "body"),
        rule("method_declaration", Kind::Method, "name", "body"),
        rule("constructor_declaration", Kind::Method, "name", "body"),
        rule("compact_constructor_declaration", Kind::Method, "name", "body"),
        rule("annotation_type_element_declaration", Kind::Method, "name", ""),
        rule("field_declaration", Kind::Member, "", "").named(Name::Declarator),
        rule("constant_declaration", Kind::Constant, "", "").named(Name::Declarator),
        rule("enum_constant", Kind::Member, "name", "body"),
        rule("module_declaration", Kind::Module, "name", "body"),
    ]],
    wrappers: &[],
    attributes: &[],
    opaque: &["string_literal", "formal_parameters", "import_declaration"],
    functions: &["lambda_expression", "static_initializer"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        abstract assert boolean break byte case catch char class const continue default do double \
        else enum extends false final finally float for goto if implements import instanceof int \
        interface long native new null package private protected public return short static \
        strictfp super switch synchronized this throw throws transient true try void volatile \
        while",
    visibility: Visibility::Public,
    closes_bodies: true,
};

/// The rules of C, which C++ has too.
const C_RULES: &[Rule] = &[
    rule("function_definition", Kind::Function, "", "body").named(Name::FunctionOrVariable),
    rule("declaration", Kind::Function, "", "")
        .named(Name::FunctionOrVariable)
        .only(Place::OutsideFunctions),
    rule("type_definition", Kind::Type, "", "").named(Name::Declarator),
    rule("struct_specifier", Kind::Type, "name", "body").only(Place::WithBody),
    rule("union_specifier", Kind::Type, "name", "body").only(Place::WithBody),
    rule("enum_specifier", Kind::Type, "name", "body").only(Place::WithBody),
    rule("enumerator", Kind::Member, "name", ""),
    rule("preproc_def", Kind::Macro, "name", ""),
    rule("preproc_function_def", Kind::Macro, "name", ""),
];

const C: &Row = &Row {
    name: "c",
    title: "C",
    extensions: "c h",
    file_names: "",
    interpreters: "tcc",
    rules: &[C_RULES],
    wrappers: &["declaration", "field_declaration", "linkage_specification"],
    attributes: &[],
    opaque: &["string_literal", "parameter_list", "preproc_include", "initializer_list"],
    functions: &["compound_statement"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        auto break case char const continue default do double else enum extern float for goto if \
        inline int long register restrict return short signed sizeof static struct switch typedef \
        union unsigned void volatile while",
    visibility: Visibility::NotStatic,
    closes_bodies: true,
};

const CPP_RULES: &[Rule] = &[
    rule("field_declaration", Kind::Method, "", "").named(Name::FunctionOrVariable),
    rule("alias_declaration", Kind::Type, "name", ""),
    rule("concept_definition", Kind::Type, "name", ""),
    rule("class_specifier", Kind::Type, "name", "body").only(Place::WithBody),
    rule("namespace_definition", Kind::Module, "name", "body"),
];

const CPP: &Row = &Row {
    name: "cpp",
    title: "C++",
    extensions: "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh",
    interpreters: "",
    rules: &[C_RULES, CPP_RULES],
    wrappers: &[
        "declaration",
        "template_declaration",
        "field_declaration",
        "friend_declaration",
        "linkage_specification",
    ],
    functions: &["compound_statement", "lambda_expression"],
    keywords: "\
        auto break case catch char class const constexpr continue default delete do double else \
        enum explicit extern float for friend goto if inline int long mutable namespace new \
        operator private protected public register return short signed sizeof static struct switch \
        template this throw try typedef typename union unsigned using virtual void volatile while",
    ..*C
};

const RUBY: &Row = &Row {
    name: "ruby",
    title: "Ruby",
    extensions: "rb rake gemspec podspec ru",
    file_names: "rakefile gemfile podfile vagrantfile brewfile guardfile capfile",
    interpreters: "ruby jruby",
    rules: &[&[
        rule("class", Kind::Type, "name", "body"),
        rule("module", Kind::Module, "name", "body"),
        rule("method", Kind::Function, "name", "body"),
        rule("singleton_method", Kind::Function, "name", "body"),
        rule("assignment", Kind::Constant, "", "")
            .named(Name::Assigned)
            .only(Place::OutsideFunctions),
    ]],
    wrappers: &[],
    attributes: &[],
    opaque: &["string", "heredoc_body", "method_parameters"],
    functions: &["block", "do_block", "lambda"],
    comment: "#",
    prefixes: &[
        "private",
        "protected",
        "public",
        "module_function",
        "private_class_method",
        "memoize",
    ],
    keywords: "",
    visibility: Visibility::Underscore,
    closes_bodies: true,
};

const BASH: &Row = &Row {
    name: "bash",
    title: "shell",
    extensions: "sh bash bats ksh zsh",
    file_names: ".bashrc .bash_profile .bash_aliases .bash_login .bash_logout .profile .zshrc .zprofile .zshenv pkgbuild apkbuild",
    interpreters: "sh bash dash ksh zsh ash bats",
    rules: &[&[rule("function_definition", Kind::Function, "name", "body")]],
    wrappers: &["redirected_statement"],
    attributes: &[],
    opaque: &["string", "raw_string", "heredoc_body", "command_substitution"],
    functions: &[],
    comment: "#",
    prefixes: &[],
    keywords: "",
    visibility: Visibility::All,
    closes_bodies: true,
};

/// Returns the row of a language whose lines are parsed without a grammar.
const fn without_grammar(
    name: &'static str,
    title: &'static str,
    extensions: &'static str,
    file_names: &'static str,
) -> Row {
    Row {
        name,
        title,
        extensions,
        file_names,
        interpreters: "",
        rules: &[],
        wrappers: &[],
        attributes: &[],
        opaque: &[],
        functions: &[],
        comment: "",
        prefixes: &[],
        keywords: "",
        visibility: Visibility::All,
        closes_bodies: false,
    }
}

const MAKEFILE: &Row = &without_grammar("makefile", "Makefile", "mk make", "makefile gnumakefile");

const DOCKERFILE: &Row = &without_grammar(
    "dockerfile",
    "Dockerfile",
    "dockerfile containerfile",
    "dockerfile dockerfile.* containerfile containerfile.*",
);

const SQL: &Row = &without_grammar("sql", "SQL", "sql", "");

impl Language {
    /// Every language.
    pub const ALL: [Self; 14] = [
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
