//! Languages of the feature `code-all`.

use super::{Bodies, Name, Place, Row, Visibility, rule};
use crate::symbol::Kind;

pub(super) const CSHARP: &Row = &Row {
    name: "csharp",
    title: "C#",
    extensions: "cs csx",
    file_names: "",
    interpreters: "dotnet-script",
    rules: &[&[
        rule("namespace_declaration", Kind::Module, "name", "body"),
        rule("class_declaration", Kind::Type, "name", "body"),
        rule("struct_declaration", Kind::Type, "name", "body"),
        rule("record_declaration", Kind::Type, "name", "body"),
        rule("enum_declaration", Kind::Type, "name", "body"),
        rule("delegate_declaration", Kind::Type, "name", ""),
        rule("interface_declaration", Kind::Interface, "name", "body"),
        rule("method_declaration", Kind::Method, "name", "body"),
        rule("constructor_declaration", Kind::Method, "name", "body"),
        rule("destructor_declaration", Kind::Method, "", "body").named(Name::Prefixed("~", "name")),
        rule("operator_declaration", Kind::Method, "", "body")
            .named(Name::Prefixed("operator ", "operator")),
        rule("conversion_operator_declaration", Kind::Method, "", "body")
            .named(Name::Prefixed("operator ", "type")),
        rule("indexer_declaration", Kind::Method, "", "accessors value").named(Name::Fixed("this")),
        rule("local_function_statement", Kind::Function, "name", "body"),
        rule("property_declaration", Kind::Member, "name", "accessors value"),
        rule("event_declaration", Kind::Member, "name", "accessors"),
        rule("event_field_declaration", Kind::Member, "", "").named(DECLARATOR),
        rule("field_declaration", Kind::Member, "", "").named(DECLARATOR),
        rule("enum_member_declaration", Kind::Member, "name", ""),
    ]],
    wrappers: &[],
    attributes: &[],
    opaque: &["string_literal", "parameter_list", "using_directive"],
    functions: &["lambda_expression", "anonymous_method_expression", "block"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        abstract as base bool break byte case catch char checked class const continue decimal \
        default delegate do double else enum event explicit extern false finally fixed float for \
        foreach goto if implicit in int interface internal is lock long namespace new null object \
        operator out override params private protected public readonly ref return sbyte sealed \
        short sizeof stackalloc static string struct switch throw true try typeof uint ulong \
        unchecked unsafe ushort using virtual void volatile while",
    visibility: Visibility::Public,
    bodies: Bodies::Closed,
    constants: &["const", "static readonly"],
    test_annotations: &["Test", "TestMethod", "TestCase", "Fact", "Theory"],
};

/// The only variable of a field of C#.
const DECLARATOR: Name = Name::Path(&["variable_declaration", "variable_declarator", "name"]);

pub(super) const PHP: &Row =
    &Row {
        name: "php",
        title: "PHP",
        extensions: "php phtml",
        file_names: "",
        interpreters: "php",
        rules: &[&[
            rule("namespace_definition", Kind::Module, "name", "body").only(Place::WithBody),
            rule("class_declaration", Kind::Type, "name", "body"),
            rule("enum_declaration", Kind::Type, "name", "body"),
            rule("interface_declaration", Kind::Interface, "name", "body"),
            rule("trait_declaration", Kind::Interface, "name", "body"),
            rule("function_definition", Kind::Function, "name", "body"),
            rule("method_declaration", Kind::Method, "name", "body"),
            rule("property_declaration", Kind::Member, "", "property_hook_list")
                .named(Name::Path(&["property_element", "name", "name"])),
            rule("enum_case", Kind::Member, "name", ""),
            rule("const_declaration", Kind::Constant, "", "")
                .named(Name::Path(&["const_element", "name"])),
        ]],
        wrappers: &[],
        attributes: &[],
        opaque: &["string", "encapsed_string", "formal_parameters", "namespace_use_declaration"],
        functions: &["anonymous_function", "arrow_function"],
        comment: "// #",
        prefixes: &[],
        keywords: "",
        visibility: Visibility::Without("private protected"),
        bodies: Bodies::Closed,
        constants: &[],
        test_annotations: &["Test"],
    };

pub(super) const KOTLIN: &Row = &Row {
    name: "kotlin",
    title: "Kotlin",
    extensions: "kt kts",
    file_names: "",
    interpreters: "kotlin",
    rules: &[&[
        rule("class_declaration", Kind::Type, "", "class_body enum_class_body").named(Name::Class),
        rule("object_declaration", Kind::Type, "name", "class_body"),
        rule("companion_object", Kind::Type, "", "class_body").named(Name::NamedOr("Companion")),
        rule("type_alias", Kind::Type, "type", ""),
        rule("function_declaration", Kind::Function, "", "function_body")
            .named(Name::Extended(&["name"])),
        rule("secondary_constructor", Kind::Method, "", "block").named(Name::Fixed("constructor")),
        rule("property_declaration", Kind::Member, "", "")
            .named(Name::Extended(&["variable_declaration", "identifier"]))
            .only(Place::OutsideFunctions),
        rule("enum_entry", Kind::Member, "", "class_body").named(Name::Path(&["identifier"])),
    ]],
    wrappers: &[],
    // `@A("b")` before a modifier is an expression to the grammar.
    attributes: &["annotated_expression"],
    opaque: &["string_literal", "multiline_string_literal", "function_value_parameters", "import"],
    functions: &["lambda_literal", "anonymous_function", "anonymous_initializer", "block"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        as break class continue do else false for fun if in interface is null object package \
        return super this throw true try typealias typeof val var when while",
    visibility: Visibility::Without("private protected internal"),
    bodies: Bodies::Closed,
    constants: &["const"],
    test_annotations: &["Test"],
};

pub(super) const SWIFT: &Row = &Row {
    name: "swift",
    title: "Swift",
    extensions: "swift",
    file_names: "",
    interpreters: "swift",
    rules: &[&[
        rule("class_declaration", Kind::Type, "", "body").named(Name::Class),
        rule("protocol_declaration", Kind::Interface, "name", "body"),
        rule("typealias_declaration", Kind::Type, "name", ""),
        rule("associatedtype_declaration", Kind::Type, "name", ""),
        rule("function_declaration", Kind::Function, "name", "body"),
        rule("protocol_function_declaration", Kind::Method, "name", ""),
        rule("init_declaration", Kind::Method, "", "body").named(Name::Fixed("init")),
        rule("deinit_declaration", Kind::Method, "", "body").named(Name::Fixed("deinit")),
        rule("subscript_declaration", Kind::Method, "", "computed_property")
            .named(Name::Fixed("subscript")),
        rule("property_declaration", Kind::Member, "", "computed_value willset_didset_block")
            .named(Name::Path(&["name", "bound_identifier"]))
            .only(Place::OutsideFunctions),
        rule("protocol_property_declaration", Kind::Member, "", "")
            .named(Name::Path(&["name", "bound_identifier"])),
        rule("enum_entry", Kind::Member, "name", ""),
        rule("macro_declaration", Kind::Macro, "", "").named(Name::Path(&["simple_identifier"])),
    ]],
    wrappers: &[],
    attributes: &[],
    opaque: &[
        "line_string_literal",
        "multi_line_string_literal",
        "parameter",
        "import_declaration",
    ],
    functions: &["lambda_literal", "statements"],
    comment: "//",
    prefixes: &[],
    keywords: "\
        as associatedtype break case catch class continue default defer do else enum extension \
        fallthrough false fileprivate for func guard if import in internal is let nil \
        operator private protocol public repeat rethrows return self static struct super switch \
        throw throws true try typealias var where while",
    visibility: Visibility::Public,
    bodies: Bodies::Closed,
    constants: &["static let"],
    test_annotations: &["Test"],
};

pub(super) const SCALA: &Row = &Row {
    name: "scala",
    title: "Scala",
    extensions: "scala sc sbt",
    file_names: "",
    interpreters: "scala scala-cli amm",
    rules: &[&[
        rule("package_clause", Kind::Module, "name", "body").only(Place::WithBody),
        rule("package_object", Kind::Module, "name", "body"),
        rule("class_definition", Kind::Type, "name", "body"),
        rule("object_definition", Kind::Type, "name", "body"),
        rule("enum_definition", Kind::Type, "name", "body"),
        rule("type_definition", Kind::Type, "name", ""),
        rule("trait_definition", Kind::Interface, "name", "body"),
        rule("extension_definition", Kind::Implementation, "", "body").named(Name::Header),
        rule("given_definition", Kind::Implementation, "", "body").named(Name::Header),
        rule("function_definition", Kind::Function, "name", "body"),
        rule("function_declaration", Kind::Function, "name", ""),
        rule("val_definition", Kind::Member, "", "")
            .named(Name::Path(&["pattern"]))
            .only(Place::OutsideFunctions),
        rule("var_definition", Kind::Member, "", "")
            .named(Name::Path(&["pattern"]))
            .only(Place::OutsideFunctions),
        rule("val_declaration", Kind::Member, "name", "").only(Place::OutsideFunctions),
        rule("var_declaration", Kind::Member, "name", "").only(Place::OutsideFunctions),
        rule("simple_enum_case", Kind::Member, "name", ""),
        rule("full_enum_case", Kind::Member, "name", ""),
    ]],
    wrappers: &["enum_case_definitions"],
    attributes: &[],
    opaque: &[
        "string",
        "interpolated_string",
        "parameters",
        "class_parameters",
        "import_declaration",
    ],
    functions: &["lambda_expression", "block", "indented_block", "case_block", "indented_cases"],
    comment: "//",
    prefixes: &[],
    keywords: "",
    visibility: Visibility::Without("private protected"),
    bodies: Bodies::ClosedOrIndented,
    constants: &[],
    test_annotations: &[],
};

pub(super) const LUA: &Row = &Row {
    name: "lua",
    title: "Lua",
    extensions: "lua rockspec",
    file_names: ".luacheckrc",
    interpreters: "lua luajit",
    rules: &[&[
        rule("function_declaration", Kind::Function, "", "body").named(Name::Indexed),
        rule("variable_declaration", Kind::Constant, "", "").named(Name::Listed),
        rule("assignment_statement", Kind::Constant, "", "").named(Name::Listed),
        rule("field", Kind::Constant, "", "").named(Name::Listed),
    ]],
    wrappers: &[],
    attributes: &[],
    opaque: &["string", "parameters"],
    functions: &["function_definition", "block"],
    comment: "--",
    prefixes: &[],
    keywords: "",
    visibility: Visibility::Without("local"),
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};

pub(super) const HCL: &Row = &Row {
    name: "hcl",
    title: "HCL",
    extensions: "tf hcl tfvars tofu",
    file_names: "",
    interpreters: "",
    rules: &[&[
        rule("block", Kind::Object, "", "body").named(Name::Address),
        rule("attribute", Kind::Constant, "", "").named(Name::Address),
    ]],
    wrappers: &[],
    attributes: &[],
    opaque: &["expression"],
    functions: &[],
    comment: "# //",
    prefixes: &[],
    keywords: "",
    visibility: Visibility::All,
    bodies: Bodies::Closed,
    constants: &[],
    test_annotations: &[],
};
