//! Languages of scripts and of the web.

use super::{Bodies, Name, Place, Row, Rule, Visibility, rule};
use crate::symbol::Kind;

pub(super) const PYTHON: &Row = &Row {
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
    bodies: Bodies::Indented,
    constants: &[],
    test_annotations: &[],
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
    rule("expression_statement", Kind::Function, "", "").named(Name::Property),
    rule("pair", Kind::Method, "", "").named(Name::Property),
];

pub(super) const JAVASCRIPT: &Row = &Row {
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
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
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

pub(super) const TYPESCRIPT: &Row = &Row {
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

pub(super) const TSX: &Row =
    &Row { name: "tsx", title: "TSX", extensions: "tsx", interpreters: "", ..*TYPESCRIPT };

pub(super) const RUBY: &Row = &Row {
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
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};

pub(super) const BASH: &Row = &Row {
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
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};
