//! Finds mistakes in a syntax tree: those of the parser, and some that the grammars accept although
//! the languages do not.

use folio_text::span::LineRange;
use tree_sitter::{Node, Tree};

use crate::languages::Language;
use crate::lines::rows;
use crate::names::is_comment;
use crate::symbol::{Kind, Symbol, SyntaxError};

/// Maximum number of mistakes of the parser.
const MAX_ERRORS: usize = 1000;

fn lines_of(node: Node<'_>) -> LineRange {
    rows(node.start_position().row, node.end_position().row)
}

/// Returns the mistakes that the parser found.
pub(crate) fn syntax_errors(tree: &Tree) -> Vec<SyntaxError> {
    let error = |lines| SyntaxError { lines, message: "syntax error" };
    let mut found: Vec<SyntaxError> = Vec::new();
    let mut cursor = tree.walk();
    // The cursor needs as many steps as levels to find its depth.
    let mut depth = 0;
    'nodes: while found.len() < MAX_ERRORS {
        let node = cursor.node();
        // The root is a mistake if no rule fits the text.
        let is_mistake = depth > 0 && (node.is_error() || node.is_missing());
        if is_mistake {
            let lines = lines_of(node);
            match found.last_mut().filter(|last| last.lines.end() + 1 >= lines.start()) {
                Some(SyntaxError { lines: last, .. }) => {
                    *last = LineRange::from_to(last.start(), last.end().max(lines.end()));
                }
                None => found.push(error(lines)),
            }
        }
        if node.has_error() && !is_mistake && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'nodes;
            }
            depth -= 1;
        }
    }
    let root = tree.root_node();
    if found.is_empty() && root.has_error() {
        found.push(error(lines_of(root)));
    }
    found
}

/// Returns mistakes that the grammar accepts.
pub(crate) fn accepted_mistakes(
    language: Language,
    tree: &Tree,
    text: &[u8],
    symbols: &[Symbol],
) -> Vec<SyntaxError> {
    let mut found = match language {
        Language::Python
        | Language::Go
        | Language::Rust
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx => mistakes_of_nodes(language, tree),
        #[cfg(feature = "code-all")]
        Language::Scala => mistakes_of_nodes(language, tree),
        Language::Java => foreign_constructors(symbols).collect(),
        Language::C => unmatched_directive(text).into_iter().collect(),
        #[cfg(feature = "code-all")]
        Language::CSharp => foreign_constructors(symbols).collect(),
        Language::Cpp => foreign_constructors(symbols).chain(unmatched_directive(text)).collect(),
        _ => Vec::new(),
    };
    let keywords: Vec<&str> = language.row().keywords.split(' ').collect();
    let of_keyword = symbols.iter().filter(|symbol| keywords.contains(&&*symbol.name));
    found.extend(of_keyword.map(|symbol| SyntaxError {
        lines: LineRange::line(symbol.name_line),
        message: "a keyword cannot be a name",
    }));
    found
}

/// Returns the mistakes at single nodes.
fn mistakes_of_nodes(language: Language, tree: &Tree) -> Vec<SyntaxError> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let message = message(language, node);
        found.extend(message.map(|message| SyntaxError { lines: lines_of(node), message }));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Returns the mistake at a node that the grammar accepts.
fn message(language: Language, node: Node<'_>) -> Option<&'static str> {
    let is_first = |kind: &str| {
        let before = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling);
        { before }.all(|before| before.kind() != kind)
    };
    match (language, node.kind()) {
        (Language::Python, "block") => {
            let mut cursor = node.walk();
            let is_empty = node.named_children(&mut cursor).all(|child| child.kind() == "comment");
            is_empty.then_some("a block without a statement")
        }
        (Language::JavaScript | Language::TypeScript | Language::Tsx, "object") => {
            let mut cursor = node.walk();
            let mut children = node.children(&mut cursor).filter(|child| !is_comment(child));
            let mut before = children.next()?;
            let is_empty = children.any(|child| {
                let has_none = child.kind() == "," && !before.is_named();
                before = child;
                has_none
            });
            is_empty.then_some("a comma without a property before it")
        }
        #[cfg(feature = "code-all")]
        (Language::Scala, "template_body" | "enum_body") => {
            let mut cursor = node.walk();
            let first = node.named_children(&mut cursor).find(|child| !is_comment(child))?;
            let is_indented =
                first.start_position().column > node.parent()?.start_position().column;
            let is_open = node.child(0)?.kind() == ":" && !is_indented;
            is_open.then_some("a block without a statement")
        }
        (Language::Go, "const_spec") => {
            let has_value = node.child_by_field_name("value").is_some();
            let is_wrong = !has_value && is_first("const_spec");
            is_wrong.then_some("the first constant of a group has no value")
        }
        (Language::Go, kind) if kind.ends_with("_statement") => {
            let is_at_top = node.parent()?.kind() == "source_file";
            is_at_top.then_some("a statement outside of functions")
        }
        (
            Language::Rust,
            "impl_item" | "trait_item" | "struct_item" | "enum_item" | "union_item" | "mod_item"
            | "static_item" | "use_declaration" | "foreign_mod_item" | "macro_definition",
        ) => {
            let list = node.parent().filter(|list| list.kind() == "declaration_list")?;
            let is_wrong = matches!(list.parent()?.kind(), "impl_item" | "trait_item");
            is_wrong.then_some("not possible in an impl block or a trait")
        }
        _ => None,
    }
}

/// Returns the constructors and destructors that do not have the name of their class.
fn foreign_constructors(symbols: &[Symbol]) -> impl Iterator<Item = SyntaxError> {
    let is_wrong = |symbol: &&Symbol| {
        let Some(class) = symbol.parent.map(|parent| &symbols[parent]) else { return false };
        // Without a type, only modifiers precede the name.
        let declaration = symbol.signature.split('(').next().unwrap_or_default();
        let modifiers = declaration.strip_suffix(&*symbol.name);
        let is_constructor = symbol.kind == Kind::Method
            && modifiers.is_some_and(|before| {
                before.split_whitespace().all(|word| MODIFIERS.contains(&word))
            });
        let name = symbol.name.trim_start_matches('~');
        // Macros have names in capital letters, and conversions are called `operator bool`.
        let is_other = !name.contains(|character: char| character.is_ascii_lowercase())
            || name.starts_with("operator");
        class.kind == Kind::Type && is_constructor && name != class.name && !is_other
    };
    symbols.iter().filter(is_wrong).map(|symbol| SyntaxError {
        lines: LineRange::line(symbol.name_line),
        message: "a constructor with another name than its class",
    })
}

/// Words that may precede the name of a constructor.
const MODIFIERS: &[&str] = &[
    "public",
    "protected",
    "private",
    "internal",
    "static",
    "explicit",
    "inline",
    "constexpr",
    "consteval",
];

/// Returns the first directive of C that does not belong to a complete `#if` … `#endif`.
fn unmatched_directive(text: &[u8]) -> Option<SyntaxError> {
    let mut open: Vec<u64> = Vec::new();
    let unmatched = (1..).zip(text.split(|byte| *byte == b'\n')).find_map(|(number, line)| {
        let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let length = directive.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        match &directive[..length] {
            b"if" | b"ifdef" | b"ifndef" => open.push(number),
            b"else" | b"elif" | b"elifdef" | b"elifndef" if open.is_empty() => return Some(number),
            b"endif" if open.pop().is_none() => return Some(number),
            _ => {}
        }
        None
    });
    let line = unmatched.or_else(|| open.last().copied())?;
    Some(SyntaxError {
        lines: LineRange::line(line),
        message: "a directive without its #if or #endif",
    })
}
