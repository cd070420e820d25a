//! The names of symbols.

use tree_sitter::Node;

use crate::languages::{Language, Name, Rule};
use crate::lines::in_one_line;
use crate::symbol::Kind;

/// What a node declares.
pub(crate) struct Declared<'t> {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The node of the name, unless the name is composed.
    pub(crate) name_node: Option<Node<'t>>,
    pub(crate) alias: Option<String>,
    pub(crate) qualifier: Option<String>,
    pub(crate) body: Option<BodyNode<'t>>,
}

/// The body of a declaration.
#[derive(Clone, Copy)]
pub(crate) struct BodyNode<'t> {
    pub(crate) node: Node<'t>,
    /// The node that directly contains it.
    parent: Node<'t>,
}

impl<'t> BodyNode<'t> {
    /// Returns the first of several fields or kinds of nodes, separated by spaces.
    fn of(parent: Node<'t>, names: &str) -> Option<Self> {
        let node = names.split(' ').find_map(|name| part(parent, name))?;
        let block = (node.kind() == "function_body").then(|| part(node, "block")).flatten();
        Some(Self { node: block.unwrap_or(node), parent })
    }

    /// Returns the offset and the row of the end of what precedes the body, without comments.
    pub(crate) fn header(&self) -> (usize, usize) {
        let mut cursor = self.parent.walk();
        let is_before = |child: &Node<'_>| child.start_byte() < self.node.start_byte();
        let before = self.parent.children(&mut cursor).take_while(is_before);
        match before.filter(|child| !is_comment(child)).last() {
            Some(last) => (last.end_byte(), last.end_position().row),
            None => (self.node.start_byte(), self.node.start_position().row),
        }
    }
}

pub(crate) fn is_comment(node: &Node<'_>) -> bool {
    node.kind().ends_with("comment")
}

/// Returns the braces in which the type or the value that a node declares has its lines: a struct of
/// Go, an object of TypeScript, a `typedef` of C.
pub(crate) fn braces_of<'t>(node: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut inner = match node.kind() {
        "type_spec" | "type_definition" => node.child_by_field_name("type")?,
        "lexical_declaration" | "variable_declaration" => {
            let mut children = node.named_children(&mut cursor);
            match children.find(|child| child.kind() == "variable_declarator") {
                Some(variable) => variable.child_by_field_name("value")?,
                None => listed_variable(node)?.1?,
            }
        }
        "type_alias_declaration" | "public_field_definition" | "field_definition" => {
            node.child_by_field_name("value")?
        }
        "assignment_statement" => listed_variable(node)?.1?,
        _ => return None,
    };
    // `{ … } as const`
    while matches!(inner.kind(), "as_expression" | "satisfies_expression") {
        inner = inner.named_child(0)?;
    }
    match inner.kind() {
        "interface_type" | "object_type" | "object" | "table_constructor" => Some(inner),
        "struct_type" => inner.named_child(0),
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
            inner.child_by_field_name("body")
        }
        _ => None,
    }
}

/// Returns what a node declares, or `None` if it declares nothing with a name.
pub(crate) fn declared<'t>(
    language: Language,
    rule: &Rule,
    node: Node<'t>,
    text: &[u8],
) -> Option<Declared<'t>> {
    let body = match rule.body {
        "" => None,
        field => BodyNode::of(node, field),
    };
    let text_of = |node: Node<'_>| in_one_line(&text[node.byte_range()]);
    let composed = |name: String| Declared {
        kind: rule.kind,
        name,
        name_node: None,
        alias: None,
        qualifier: None,
        body,
    };
    let plain = |node: Node<'t>| Declared { name_node: Some(node), ..composed(text_of(node)) };
    Some(match rule.name {
        Name::Field(field) => match node.child_by_field_name(field) {
            // The type of a declaration of Swift is in this field too.
            Some(first) if has_several_of_kind(node, field, first.kind()) => return None,
            Some(name) if is_qualified(name) => {
                let (qualifier, own_name) = qualified_name(name, text);
                Declared { qualifier, name: own_name, ..plain(name) }
            }
            Some(name) => Declared { name: unquoted(text_of(name)), ..plain(name) },
            None if rule.node.contains("function") => composed("default".to_owned()),
            None => return None,
        },
        Name::Declarator => {
            // The other names of a `typedef` are pointers to the first.
            if has_several(node, "declarator") && node.kind() != "type_definition" {
                return None;
            }
            let name = declarator_name(node.child_by_field_name("declarator")?)?.1;
            plain(name)
        }
        Name::FunctionOrVariable => {
            let first = node.child_by_field_name("declarator")?;
            let of = node.child_by_field_name("type");
            let has_class =
                of.is_some_and(|of| of.child_by_field_name("name").is_some() && is_class(of));
            if has_class && first.kind() == "identifier" && body.is_some() {
                return Some(Declared { kind: Kind::Type, ..plain(first) });
            }
            let (is_function, name_node) = declarator_name(first)?;
            let is_field = node.kind() == "field_declaration";
            let defines_type = of.is_some_and(|of| {
                of.child_by_field_name("name").is_some() && of.child_by_field_name("body").is_some()
            });
            if has_several(node, "declarator")
                || !is_function && (is_field || body.is_some() || defines_type)
            {
                return None;
            }
            let kind = if is_function { rule.kind } else { Kind::Constant };
            let (qualifier, name) = qualified_name(name_node, text);
            // After a mistake, statements look like functions.
            if matches!(name.as_str(), "if" | "for" | "while" | "switch" | "return") {
                return None;
            }
            match test_name(node, &name, first, text) {
                Some(name) => Declared { kind: Kind::Test, ..composed(name) },
                None => Declared { kind, qualifier, name, ..plain(name_node) },
            }
        }
        Name::Implementation => {
            let of = node.child_by_field_name("type")?;
            let alias = base_name(&text_of(of));
            let name = match node.child_by_field_name("trait") {
                Some(interface) => {
                    let before = &text[node.start_byte()..interface.start_byte()];
                    let not = if before.trim_ascii_end().ends_with(b"!") { "!" } else { "" };
                    format!("impl {not}{} for {}", text_of(interface), text_of(of))
                }
                None => format!("impl {}", text_of(of)),
            };
            Declared { alias: Some(alias), ..composed(name) }
        }
        Name::Receiver => {
            let receiver = text_of(node.child_by_field_name("receiver")?);
            let inner = receiver.trim_matches(['(', ')', ' ', ',']);
            let of = inner.split('[').next()?.rsplit([' ', '*']).next()?;
            let name = node.child_by_field_name("name")?;
            Declared { qualifier: Some(of.to_owned()), ..plain(name) }
        }
        Name::Assigned => {
            let assignment = match node.kind() {
                "assignment" => node,
                _ => node.named_child(0).filter(|only| only.kind() == "assignment")?,
            };
            let left = assignment.child_by_field_name("left")?;
            let is_name = match language {
                Language::Ruby => left.kind() == "constant",
                _ => left.kind() == "identifier",
            };
            let right = assignment.child_by_field_name("right");
            let is_chain = right.is_some_and(|right| right.kind() == "assignment");
            (is_name && !is_chain).then(|| plain(left))?
        }
        Name::Generic(field) => {
            let node = node.child_by_field_name(field)?;
            let name = text_of(node).split('[').next().unwrap_or_default().trim_end().to_owned();
            Declared { name, ..plain(node) }
        }
        Name::Global => {
            let mut cursor = node.walk();
            let mut children = node.children(&mut cursor);
            children.find(|child| child.kind() == "global")?;
            let block = children.find(|child| child.kind() == "statement_block");
            let body = block.map(|block| BodyNode { node: block, parent: node });
            Declared { body, ..composed("global".to_owned()) }
        }
        Name::Itself => plain(node),
        Name::Path(path) => plain(node_at(node, path)?),
        Name::Extended(path) => {
            let name = node_at(node, path)?;
            let dot = if path.len() > 1 { name.parent()? } else { name }.prev_sibling();
            let of = dot.filter(|dot| dot.kind() == ".").and_then(|dot| dot.prev_sibling());
            let of = of.map(|of| base_name(text_of(of).trim_matches(['(', ')', '?'])));
            Declared { qualifier: of, ..plain(name) }
        }
        Name::Fixed(name) => composed(name.to_owned()),
        Name::NamedOr(name) => match node.child_by_field_name("name") {
            Some(name) => plain(name),
            None => composed(name.to_owned()),
        },
        Name::Prefixed(prefix, field) => {
            composed(format!("{prefix}{}", text_of(node.child_by_field_name(field)?)))
        }
        Name::Class => {
            let name = node.child_by_field_name("name")?;
            if keyword(node, &["extension"]).is_some() {
                let alias = Some(base_name(&text_of(name)));
                let name = header(node, body, text)?;
                return Some(Declared { alias, kind: Kind::Implementation, ..composed(name) });
            }
            let is_interface = keyword(node, &["interface"]).is_some();
            Declared { kind: if is_interface { Kind::Interface } else { rule.kind }, ..plain(name) }
        }
        Name::Header => match node.child_by_field_name("name") {
            Some(name) => plain(name),
            None => composed(header(node, body, text)?),
        },
        Name::Indexed => {
            let name = node.child_by_field_name("name")?;
            let (of, last) = indexed_name(name)?;
            let kind = match name.kind() {
                "method_index_expression" => Kind::Method,
                _ => rule.kind,
            };
            Declared { kind, qualifier: of.map(text_of), ..plain(last) }
        }
        Name::Listed => {
            let (name, value) = listed_variable(node)?;
            let (of, last) = indexed_name(name)?;
            let variable = Declared { qualifier: of.map(text_of), ..plain(last) };
            let variable = with_value(variable, value);
            // Fields are symbols only if they have code.
            let is_field = node.kind() == "field" && variable.kind == Kind::Constant;
            let is_import = value.is_some_and(|value| {
                let called = text[value.byte_range()].strip_prefix(b"require");
                called.is_some_and(|rest| rest.starts_with(b"(") || rest.starts_with(b" "))
            });
            (!is_field && !is_import).then_some(variable)?
        }
        Name::Address => {
            let body = node.parent()?;
            let outer = body.parent()?;
            if node.kind() == "block" {
                (outer.kind() == "config_file").then(|| composed(address(node, text)))?
            } else {
                let name = node.named_child(0)?;
                let is_local = outer.named_child(0).is_some_and(|of| text_of(of) == "locals");
                match outer.kind() {
                    "config_file" => plain(name),
                    "block" if is_local => {
                        let address = format!("local.{}", text_of(name));
                        Declared { name_node: Some(name), ..composed(address) }
                    }
                    _ => return None,
                }
            }
        }
        Name::Property => property(node, text, plain)?,
        Name::DefaultExport => {
            let value = node.child_by_field_name("value")?;
            let variable = Declared { kind: Kind::Constant, ..composed("default".to_owned()) };
            let exported = with_value(variable, Some(value));
            (exported.kind != Kind::Constant).then_some(exported)?
        }
        Name::Variable => {
            let mut cursor = node.walk();
            let mut all = node
                .named_children(&mut cursor)
                .filter(|child| child.kind() == "variable_declarator");
            let (variable, other) = (all.next()?, all.next());
            let name = variable.child_by_field_name("name")?;
            if other.is_some() || name.kind() != "identifier" {
                return None;
            }
            with_value(plain(name), variable.child_by_field_name("value"))
        }
    })
}

/// Returns the function or class that a statement assigns to a property, or that is the value of a
/// property of an object of JavaScript. `plain` returns what a node with a name declares.
fn property<'t>(
    node: Node<'t>,
    text: &[u8],
    plain: impl Fn(Node<'t>) -> Declared<'t>,
) -> Option<Declared<'t>> {
    let first = node.named_child(0)?;
    let (target, value, kind) = match first.kind() {
        "assignment_expression" => {
            (first.child_by_field_name("left")?, first.child_by_field_name("right"), Kind::Function)
        }
        _ => (node.child_by_field_name("key")?, node.child_by_field_name("value"), Kind::Method),
    };
    let name = target.child_by_field_name("property").unwrap_or(target);
    if !matches!(name.kind(), "property_identifier" | "private_property_identifier" | "string") {
        return None;
    }
    let property = Declared { kind: Kind::Constant, ..plain(name) };
    let declared = with_value(property, value);
    let kind = match declared.kind {
        Kind::Function => kind,
        Kind::Type => Kind::Type,
        _ => return None,
    };
    let object = target.child_by_field_name("object");
    let qualifier = object.and_then(|object| owner(&in_one_line(&text[object.byte_range()])));
    let name = unquoted(declared.name);
    Some(Declared { kind, name, qualifier, ..declared })
}

/// Returns the name of the object to which a method is assigned, without `prototype`. The object may
/// also be the exports of a module, or `this`.
fn owner(object: &str) -> Option<String> {
    let object = object.strip_suffix(".prototype").unwrap_or(object);
    let is_path = object.chars().all(|letter| letter.is_alphanumeric() || "_$.".contains(letter));
    let is_module = matches!(object, "exports" | "module.exports" | "this");
    let name = object.rsplit('.').next().filter(|_| is_path && !is_module);
    name.map(str::to_owned)
}

/// Returns a variable as a function or a class, if its value is one.
fn with_value<'t>(variable: Declared<'t>, value: Option<Node<'t>>) -> Declared<'t> {
    let Some(value) = value else { return variable };
    let kind = match value.kind() {
        "arrow_function"
        | "function_expression"
        | "function"
        | "generator_function"
        | "function_definition" => Kind::Function,
        "class" => Kind::Type,
        _ => return variable,
    };
    let body = BodyNode::of(value, "body");
    // The body of an arrow function may be an expression.
    let body =
        body.filter(|body| matches!(body.node.kind(), "statement_block" | "class_body" | "block"));
    Declared { kind, body, ..variable }
}

/// Whether a node declares several names, which share its lines.
fn has_several(node: Node<'_>, field: &str) -> bool {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(Node::is_named).nth(1).is_some()
}

/// Whether a node has several nodes of one kind in a field.
fn has_several_of_kind(node: Node<'_>, field: &str, kind: &str) -> bool {
    let mut cursor = node.walk();
    let all = node.children_by_field_name(field, &mut cursor);
    all.filter(|child| child.is_named() && child.kind() == kind).nth(1).is_some()
}

/// Returns the field of a node with a name, or the first node in it of this kind.
fn part<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.child_by_field_name(name)
        .or_else(|| node.named_children(&mut cursor).find(|child| child.kind() == name))
}

/// Returns the node at the end of a path of fields or kinds, if it is a plain name, and there is
/// only one path.
fn node_at<'t>(node: Node<'t>, path: &[&str]) -> Option<Node<'t>> {
    let (first, rest) = path.split_first()?;
    let inner = part(node, first)?;
    if rest.is_empty() {
        let is_name = inner.kind().ends_with("identifier") || inner.kind() == "name";
        return is_name.then_some(inner);
    }
    let mut cursor = node.walk();
    let same = node.named_children(&mut cursor).filter(|child| child.kind() == inner.kind());
    if same.count() > 1 { None } else { node_at(inner, rest) }
}

/// Returns the first of several keywords that is directly in a node.
fn keyword<'t>(node: Node<'t>, words: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| !child.is_named() && words.contains(&child.kind()))
}

/// Returns the declaration of an extension up to its body.
fn header(node: Node<'_>, body: Option<BodyNode<'_>>, text: &[u8]) -> Option<String> {
    let start = keyword(node, &["extension", "given"])?.start_byte();
    let end = body.map_or(node.end_byte(), |body| body.header().0);
    let header = in_one_line(&text[start..end.max(start)]);
    let header = header.strip_suffix("with").unwrap_or(&header);
    Some(header.trim_end_matches([' ', ':', '=', '{']).to_owned())
}

/// Splits a name of Lua into the tables that contain it and the last name.
fn indexed_name(name: Node<'_>) -> Option<(Option<Node<'_>>, Node<'_>)> {
    let field = match name.kind() {
        "identifier" => return Some((None, name)),
        "dot_index_expression" => "field",
        "method_index_expression" => "method",
        _ => return None,
    };
    Some((name.child_by_field_name("table"), name.child_by_field_name(field)?))
}

/// Returns the only variable that an assignment or a field of Lua has, and its value.
fn listed_variable(node: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    if node.kind() == "field" {
        let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
        return Some((name, node.child_by_field_name("value")));
    }
    let assignment = part(node, "assignment_statement").unwrap_or(node);
    let variables = part(assignment, "variable_list")?;
    let values = part(assignment, "expression_list");
    let is_single = variables.named_child_count() == 1;
    let value = values.and_then(|values| values.child_by_field_name("value"));
    is_single.then_some((variables.named_child(0)?, value))
}

/// Returns the address of a block of HCL.
fn address(block: Node<'_>, text: &[u8]) -> String {
    let text_of = |node: Node<'_>| unquoted(in_one_line(&text[node.byte_range()]));
    let mut cursor = block.walk();
    let words = block.named_children(&mut cursor);
    let words = words.take_while(|child| matches!(child.kind(), "identifier" | "string_lit"));
    let mut words: Vec<String> = words.map(text_of).collect();
    match (words[0].as_str(), words.len()) {
        ("resource", 3) => _ = words.remove(0),
        ("variable", 2) => "var".clone_into(&mut words[0]),
        ("provider", 2) => words.extend(alias(block, text).map(text_of)),
        _ => {}
    }
    words.join(".")
}

/// Returns the value of the attribute `alias` in a block.
fn alias<'t>(block: Node<'t>, text: &[u8]) -> Option<Node<'t>> {
    let body = part(block, "body")?;
    let mut cursor = body.walk();
    let is_alias = |attribute: &Node<'_>| {
        attribute.named_child(0).is_some_and(|name| &text[name.byte_range()] == b"alias")
    };
    body.named_children(&mut cursor).find(is_alias)?.named_child(1)
}

fn is_class(of: Node<'_>) -> bool {
    matches!(of.kind(), "class_specifier" | "struct_specifier" | "union_specifier")
}

/// Returns the name in a declarator of C, and whether it declares a function.
fn declarator_name(mut node: Node<'_>) -> Option<(bool, Node<'_>)> {
    let mut is_function = false;
    loop {
        let inner = match node.kind() {
            "function_declarator" => {
                let inner = node.child_by_field_name("declarator")?;
                // A pointer to a function is a variable.
                is_function = inner.kind() != "parenthesized_declarator";
                inner
            }
            "pointer_declarator"
            | "array_declarator"
            | "init_declarator"
            | "variable_declarator" => {
                // The grammar takes `= 0` of a virtual method for a value.
                let name = node.child_by_field_name("declarator");
                name.or_else(|| node.child_by_field_name("name"))?
            }
            "reference_declarator" | "parenthesized_declarator" | "attributed_declarator" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| !child.kind().contains("modifier"))?
            }
            _ => break,
        };
        node = inner;
    }
    let mut last = node;
    while last.kind() == "qualified_identifier" {
        last = last.child_by_field_name("name")?;
    }
    let is_cast = last.kind() == "operator_cast";
    let is_name = last.kind().ends_with("identifier")
        || last.kind().ends_with("_name")
        // `typedef short int16_t;`
        || matches!(last.kind(), "template_function" | "template_type" | "primitive_type")
        || is_cast;
    is_name.then_some((is_function || is_cast, node))
}

/// Splits the name of a declaration of C++ into the name of its type or namespace and its own name.
fn qualified_name(node: Node<'_>, text: &[u8]) -> (Option<String>, String) {
    let mut last = node;
    let mut scope = None;
    while let Some(name) = last.child_by_field_name("name").filter(|_| is_qualified(last)) {
        let before = text[last.start_byte()..name.start_byte()].trim_ascii();
        // A macro before a declaration makes the grammar take the type for a scope.
        scope = before.strip_suffix(b"::").map(in_one_line).filter(|scope| !scope.is_empty());
        last = name;
    }
    let end = match last.child_by_field_name("declarator") {
        Some(parameters) if last.kind() == "operator_cast" => parameters.start_byte(),
        _ => last.end_byte(),
    };
    let name = in_one_line(&text[last.start_byte()..end]);
    (scope.map(|scope| base_name(&scope)), name)
}

fn is_qualified(node: Node<'_>) -> bool {
    node.kind() == "qualified_identifier"
}

/// Returns the name of a test of C++, `Suite.name`, that a macro such as `TEST` defines.
fn test_name(node: Node<'_>, name: &str, declarator: Node<'_>, text: &[u8]) -> Option<String> {
    let is_macro = matches!(name, "TEST" | "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P");
    if !is_macro || node.child_by_field_name("type").is_some() {
        return None;
    }
    let parameters = in_one_line(&text[declarator.child_by_field_name("parameters")?.byte_range()]);
    let (suite, name) = parameters.trim_matches(['(', ')', ' ']).split_once(',')?;
    Some(format!("{}.{}", suite.trim(), name.trim()))
}

/// Returns the last name in a path of a type, without arguments of generics.
fn base_name(of: &str) -> String {
    let plain = of.split('<').next().unwrap_or(of).trim_start_matches(['&', '*', ' ']);
    let plain = plain.trim_start_matches("mut ").trim_start_matches("dyn ");
    plain.rsplit("::").next().unwrap_or(plain).trim().to_owned()
}

/// Returns the name of a method in quotes without them.
fn unquoted(name: String) -> String {
    let inner = ['"', '\'']
        .iter()
        .find_map(|&quote| name.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned));
    inner.unwrap_or(name)
}
