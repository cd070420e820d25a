//! Languages that are compiled.

use super::{Bodies, Name, Place, Row, Rule, Visibility, rule};
use crate::symbol::Kind;

pub(super) const RUST: &Row = &Row {
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
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};

pub(super) const GO: &Row = &Row {
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
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};

pub(super) const JAVA: &Row = &Row {
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
    bodies: Bodies::Closed,
    constants: &["static final"],
    test_annotations: &["Test"],
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

pub(super) const C: &Row = &Row {
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
    visibility: Visibility::Without("static"),
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};

const CPP_RULES: &[Rule] = &[
    rule("field_declaration", Kind::Method, "", "").named(Name::FunctionOrVariable),
    rule("alias_declaration", Kind::Type, "name", ""),
    rule("concept_definition", Kind::Type, "name", ""),
    rule("class_specifier", Kind::Type, "name", "body").only(Place::WithBody),
    rule("namespace_definition", Kind::Module, "name", "body"),
];

pub(super) const CPP: &Row = &Row {
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
