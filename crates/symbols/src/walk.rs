//! Finds symbols in a syntax tree, in one pass.

use std::ops::{ControlFlow, Range};

use folio_text::lines::count_newlines;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Point, Tree};

use crate::Limit;
use crate::languages::{Bodies, Language, Name, Place, Rule, Visibility};
use crate::line_parsers::signature;
use crate::lines::{begins_line, blank_newlines, comments_below, end_of_line, in_one_line, rows};
use crate::mistakes;
use crate::names::{Declared, braces_of, declared, is_comment};
use crate::nodes::{Meaning, Nodes};
use crate::symbol::{Body, Kind, Symbol, Symbols};

/// What is around a node.
#[derive(Clone, Copy, Default)]
struct Around<'t> {
    /// The innermost symbol.
    symbol: Option<usize>,
    /// Whether the node is in the body of a function.
    is_in_function: bool,
    /// The outermost node that belongs to the declaration in it.
    wrapper: Option<Outer<'t>>,
    /// The node that directly contains it.
    container: Option<Node<'t>>,
    /// Whether an access specifier of C++, or `private` of Ruby, before the node makes it private or
    /// protected.
    is_private: bool,
}

/// The outermost node that belongs to a declaration.
#[derive(Clone, Copy)]
struct Outer<'t> {
    node: Node<'t>,
    /// Where it begins, with the comments and attributes before it.
    start: usize,
    position: Point,
}

/// Comments and attributes before a node.
#[derive(Clone, Default)]
struct Lead {
    span: Range<usize>,
    position: Point,
    /// Whether it ends with an attribute, which belongs to the next declaration even after a blank
    /// line.
    is_attribute: bool,
}

struct Walk<'a> {
    language: Language,
    nodes: &'static Nodes,
    text: &'a [u8],
    lead: Lead,
    found: Vec<Symbol>,
}

/// Maximum number of steps of the parser. It reports every hundred operations, which take about five
/// microseconds.
const MAX_STEPS: u64 = 200_000;

/// Parses a text, and returns its symbols and mistakes. If `is_strict` is set, these include
/// mistakes that the grammar accepts.
///
/// # Errors
///
/// Fails if parsing takes too many steps.
pub(crate) fn symbols(language: Language, text: &[u8], is_strict: bool) -> Result<Symbols, Limit> {
    let Some(nodes) = Nodes::of_language(language) else { return Ok(Symbols::default()) };
    let Some(tree) = parse(nodes, text)? else { return Ok(Symbols::default()) };
    let mut walk = Walk { language, nodes, text, lead: Lead::default(), found: Vec::new() };
    walk.run(&tree);
    let mut errors = mistakes::syntax_errors(&tree);
    if is_strict {
        errors.extend(mistakes::accepted_mistakes(language, &tree, text, &walk.found));
        errors.sort_by_key(|error| error.lines.start());
    }
    Ok(Symbols { symbols: walk.found, errors })
}

/// Parses a text.
///
/// # Errors
///
/// Fails if parsing takes too many steps.
pub(crate) fn parse(nodes: &Nodes, text: &[u8]) -> Result<Option<Tree>, Limit> {
    let mut parser = Parser::new();
    if parser.set_language(&nodes.grammar).is_err() {
        return Ok(None);
    }
    let mut steps = 0;
    let mut count = |_: &ParseState| {
        steps += 1;
        if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let mut read = |offset: usize, _| text.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options)).map(Some).ok_or(Limit::Time)
}

impl Walk<'_> {
    fn run(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        let mut around = vec![Around::default()];
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let node = cursor.node();
            let Some(outer) = around.last_mut() else { return };
            let inner = self.enter(node, outer);
            if let Some(inner) = inner
                && cursor.goto_first_child()
            {
                around.push(inner);
                continue;
            }
            while !cursor.goto_next_sibling() {
                around.pop();
                if around.is_empty() || !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Handles a node, and returns what is around the nodes in it, if there may be symbols.
    fn enter<'t>(&mut self, node: Node<'t>, around: &mut Around<'t>) -> Option<Around<'t>> {
        match self.nodes.meaning(node.kind_id()) {
            Meaning::Opaque => None,
            Meaning::Comment => {
                let comment = self.text[node.byte_range()].trim_ascii_end();
                self.add_lead(node, comment, self.is_rust_attribute(comment));
                None
            }
            Meaning::Attribute if is_annotated_value(node) => Some(self.inside(node, around)),
            Meaning::Attribute => {
                self.add_lead(node, self.text[node.byte_range()].trim_ascii_end(), true);
                None
            }
            Meaning::Access => {
                around.is_private = &self.text[node.byte_range()] != b"public";
                None
            }
            Meaning::Wrapper => Some(self.wrap(node, around)),
            Meaning::DeclaringWrapper(rule) => {
                self.declare(rule, node, around).or_else(|| Some(self.wrap(node, around)))
            }
            Meaning::Declaration(rule) => self.declare(rule, node, around).or_else(|| {
                // In the place of a function, variables are local even if it has no name.
                let is_in_function = around.is_in_function || rule.node == "function_definition";
                Some(Around { is_in_function, ..self.inside(node, around) })
            }),
            Meaning::Other if self.changes_visibility(node, around) => None,
            Meaning::Function | Meaning::Other if self.is_part_of_line(node) => None,
            Meaning::Function => {
                let is_class = self.is_body_of_type(node, around);
                Some(Around { is_in_function: !is_class, ..self.inside(node, around) })
            }
            Meaning::Other => Some(self.inside(node, around)),
        }
    }

    /// Whether a node has only a part of a line, so that no symbol is in it.
    fn is_part_of_line(&self, node: Node<'_>) -> bool {
        let (start, end) = (node.start_position(), node.end_position());
        let prefixes = self.language.row().prefixes;
        start.row == end.row && !begins_line(self.text, node.start_byte(), start.column, prefixes)
    }

    /// Returns what is around the nodes in a node that means nothing.
    fn inside<'t>(&self, node: Node<'t>, around: &Around<'t>) -> Around<'t> {
        let is_private = around.is_private && node.kind() != "singleton_class";
        Around { wrapper: None, container: Some(node), is_private, ..*around }
    }

    /// Whether a statement of Ruby changes the visibility of methods: `private` that of those after
    /// it, and `private :name` that of one before it.
    fn changes_visibility(&mut self, node: Node<'_>, around: &mut Around<'_>) -> bool {
        if self.language != Language::Ruby
            || around.container.is_none_or(|container| container.kind() != "body_statement")
        {
            return false;
        }
        let text = self.text;
        let is_restriction = |word: &[u8]| matches!(word, b"private" | b"protected");
        match node.kind() {
            "identifier" => {
                let word = &text[node.byte_range()];
                around.is_private = is_restriction(word) || around.is_private && word != b"public";
                is_restriction(word) || word == b"public"
            }
            "call" => {
                let word =
                    node.child_by_field_name("method").map(|method| &text[method.byte_range()]);
                let Some(arguments) = node.child_by_field_name("arguments") else { return false };
                let is_restriction = word
                    .is_some_and(|word| is_restriction(word) || word == b"private_class_method");
                let mut cursor = arguments.walk();
                for argument in arguments.named_children(&mut cursor).filter(|_| is_restriction) {
                    let name = text[argument.byte_range()].strip_prefix(b":").unwrap_or_default();
                    let is_named = |symbol: &&mut Symbol| {
                        symbol.parent == around.symbol && symbol.name.as_bytes() == name
                    };
                    // Usually, it is the method above.
                    if let Some(symbol) = self.found.iter_mut().rfind(is_named) {
                        symbol.is_public = false;
                    }
                }
                // `private def name` contains a declaration.
                false
            }
            _ => false,
        }
    }

    /// Whether a block is the body of a class of C++ that the grammar takes for a function because a
    /// macro precedes its name.
    fn is_body_of_type(&self, node: Node<'_>, around: &Around<'_>) -> bool {
        let of_type = around.symbol.is_some_and(|index| self.found[index].kind == Kind::Type);
        of_type && !around.is_in_function && node.kind() == "compound_statement"
    }

    /// Whether a comment of Rust is an attribute, `#[doc]`.
    fn is_rust_attribute(&self, comment: &[u8]) -> bool {
        let has = |mark: &[u8], plain: &[u8]| {
            comment.starts_with(mark) && !comment.starts_with(plain) && comment != b"/**/"
        };
        self.language == Language::Rust && (has(b"///", b"////") || has(b"/**", b"/***"))
    }

    /// Returns what is around the nodes in a wrapper. It belongs to a declaration in it, if that is
    /// the only one.
    fn wrap<'t>(&self, node: Node<'t>, around: &Around<'t>) -> Around<'t> {
        let mut cursor = node.walk();
        let declares = |child: &Node<'_>| {
            let meaning = self.nodes.meaning(child.kind_id());
            matches!(
                meaning,
                Meaning::Declaration(_) | Meaning::DeclaringWrapper(_) | Meaning::Wrapper
            )
        };
        let count = node.named_children(&mut cursor).filter(declares).take(2).count();
        let wrapper = around.wrapper.unwrap_or_else(|| self.outer(node, around));
        Around { wrapper: (count == 1).then_some(wrapper), container: Some(node), ..*around }
    }

    /// Adds a comment or attribute, which has the given text, to those before the next node.
    fn add_lead(&mut self, node: Node<'_>, lead: &[u8], is_attribute: bool) {
        let (start, text) = (node.start_byte(), self.text);
        let is_inner = lead.starts_with(b"//!") || lead.starts_with(b"/*!");
        let is_script = start == 0 && lead.starts_with(b"#!") && !is_attribute;
        if is_inner && self.language == Language::Rust || is_script {
            self.lead = Lead::default();
            return;
        }
        let end = start + lead.len();
        if self.leads_to(start) {
            self.lead.span.end = end;
            self.lead.is_attribute = is_attribute;
            return;
        }
        let position = node.start_position();
        self.lead = match begins_line(text, start, position.column, &[]) {
            true => Lead { span: start..end, position, is_attribute },
            false => Lead::default(),
        };
    }

    /// Whether the comments and attributes belong to what begins at an offset.
    fn leads_to(&self, at: usize) -> bool {
        let Lead { span, is_attribute, .. } = &self.lead;
        let between = self.text.get(span.end..at).filter(|_| !span.is_empty());
        between.and_then(blank_newlines).is_some_and(|newlines| newlines <= 1 || *is_attribute)
    }

    /// Adds the symbol that a node declares. Returns what is around the nodes in it, or `None` if it
    /// declares no symbol here.
    fn declare<'t>(
        &mut self,
        rule: &'static Rule,
        node: Node<'t>,
        around: &Around<'t>,
    ) -> Option<Around<'t>> {
        let (language, text) = (self.language, self.text);
        let is_refused = match rule.place {
            Place::OutsideFunctions => around.is_in_function,
            Place::Within(kind) => around.container.is_none_or(|of| of.kind() != kind),
            Place::Anywhere | Place::WithBody => false,
        };
        if is_refused {
            return None;
        }
        let mut declared = declared(language, rule, node, text)?;
        let is_in_type = around.symbol.is_some_and(|index| self.found[index].kind == Kind::Type);
        let is_refused = match rule.place {
            Place::Anywhere => declared.kind == Kind::Constant && around.is_in_function,
            Place::WithBody => declared.body.is_none(),
            // Fields of C++ are no symbols.
            Place::OutsideFunctions => {
                declared.kind == Kind::Constant && node.kind() == "declaration" && is_in_type
            }
            Place::Within(_) => false,
        };
        if is_refused || declared.name.is_empty() {
            return None;
        }
        let Outer { node: outer, start, position } =
            around.wrapper.unwrap_or_else(|| self.outer(node, around));
        let row = language.row();
        let is_in_function = around.is_in_function || declared.kind.is_function();
        let inside = |symbol| Around {
            symbol,
            is_in_function,
            wrapper: None,
            container: Some(node),
            is_private: rule.node == "class_specifier",
        };
        let begins = position.row as u64 >= self.previous_end(around.symbol)
            && begins_line(text, start, position.column, row.prefixes);
        let end = self.end_of(outer, node);
        let Some(whole_end) = end_of_line(text, end, row.comment).filter(|_| begins) else {
            // The nodes in it may have lines of their own.
            return Some(inside(around.symbol));
        };
        let lead = &text[start..outer.start_byte()];
        let parent = around.symbol.map(|index| &self.found[index]);
        let is_in_class = around.container.is_some_and(|of| {
            let is_module = parent.is_some_and(|parent| parent.kind == Kind::Module);
            of.kind().ends_with("class_body") || of.kind() == "template_body" && !is_module
        });
        declared.kind = self.kind_of(rule, &declared, parent, lead, outer, node);
        if declared.kind == Kind::Function && is_in_class {
            declared.kind = Kind::Method;
        }
        let is_function = declared.kind.is_function();
        let last = row_of(outer, node, text, whole_end);
        let lines = rows(position.row, last);
        if let Some(parent) = parent
            && !parent.lines.covers(lines)
        {
            return Some(inside(around.symbol));
        }
        let header_end = declared.body.as_ref().map_or(end, |body| body.header().0);
        let (signature_start, signature_row) = declaration_start(outer);
        // In Ruby, `private` is before the declaration.
        let line_start = outer.start_byte() - outer.start_position().column;
        let before = &text[line_start..outer.start_byte()];
        let is_after_private = before.trim_ascii_start().starts_with(b"private");
        let signature = self.signature(signature_start, header_end);
        let symbol = Symbol {
            kind: declared.kind,
            alias: declared.alias.take(),
            qualifier: declared.qualifier.take(),
            parent: around.symbol,
            lines,
            signature_line: signature_row as u64 + 1,
            name_line: declared.name_node.map_or(signature_row, |name| name.start_position().row)
                as u64
                + 1,
            body: self.body(&declared, node, last),
            is_public: self.is_public(&declared, parent, outer, &signature)
                && !(around.is_private && (language != Language::Ruby || is_function))
                && !is_after_private,
            signature,
            name: std::mem::take(&mut declared.name),
        };
        self.found.push(symbol);
        Some(inside(Some(self.found.len() - 1)))
    }

    /// Returns the body of a declaration that ends in a row.
    fn body(&self, declared: &Declared<'_>, node: Node<'_>, last: usize) -> Option<Body> {
        let Some(body) = declared.body else {
            if let Some(braces) = braces_of(node) {
                return lines_in_braces(braces, braces.start_position().row);
            }
            return lines_before_end(node);
        };
        let mut first = body.node.start_position().row;
        let bodies = self.language.row().bodies;
        let open = body.node.child(0).filter(|open| !open.is_named());
        match open.map(|open| open.kind()) {
            Some("{") => return lines_in_braces(body.node, first),
            Some("(") if bodies == Bodies::Closed => return lines_in_braces(body.node, first),
            // A value, as in `=> 1`.
            Some(_) if bodies == Bodies::Closed => return None,
            Some(":") => first = body.node.child(1)?.start_position().row,
            _ => {}
        }
        // The block of Python and Ruby begins at its first statement, after comments.
        let header = body.header().1;
        let has_end = match bodies {
            Bodies::Closed => true,
            Bodies::Indented => false,
            Bodies::ClosedOrIndented => has_end_marker(node),
        };
        let end = if has_end { last } else { last + 1 };
        (first > header).then(|| body_of_rows(body.node, header + 1, end)).flatten()
    }

    /// Returns a node with the comments and attributes that belong to it.
    fn outer<'t>(&self, node: Node<'t>, around: &Around<'_>) -> Outer<'t> {
        let (start, position) = (node.start_byte(), node.start_position());
        let lead = &self.lead;
        // After a mistake, comments may be in the previous symbol.
        let is_after = lead.position.row as u64 >= self.previous_end(around.symbol);
        match self.leads_to(start) && is_after {
            true => Outer { node, start: lead.span.start, position: lead.position },
            false => Outer { node, start, position },
        }
    }

    /// Returns the last line of the previous symbol in a symbol, or 0 if there is none.
    fn previous_end(&self, parent: Option<usize>) -> u64 {
        let mut last = self.found.len().checked_sub(1);
        while let Some(index) = last.filter(|_| last != parent) {
            if self.found[index].parent == parent {
                return self.found[index].lines.end();
            }
            last = self.found[index].parent;
        }
        0
    }

    /// Returns the end of a declaration, with the comments that its indentation includes.
    fn end_of(&self, outer: Node<'_>, node: Node<'_>) -> usize {
        let (start, end) = (outer.start_byte(), outer.end_byte().max(node.end_byte()));
        let end = end_without_semicolon(outer).unwrap_or(end);
        let end = start + self.text[start..end].trim_ascii_end().len();
        if self.language.row().bodies == Bodies::ClosedOrIndented {
            return end_in_indentation(node, self.text, outer.start_position().column);
        }
        let has_block = matches!(node.kind(), "function_definition" | "class_definition");
        if self.language != Language::Python || !has_block {
            return end;
        }
        comments_below(self.text, end, outer.start_position().column).unwrap_or(end)
    }

    /// Returns the declaration without its body, in one line.
    fn signature(&self, start: usize, end: usize) -> String {
        signature(&self.text[start..end.max(start)], &[' ', '{', ':', ';', '='])
    }

    /// Returns the kind of a symbol from what is around it.
    fn kind_of(
        &self,
        rule: &Rule,
        declared: &Declared<'_>,
        parent: Option<&Symbol>,
        lead: &[u8],
        outer: Node<'_>,
        node: Node<'_>,
    ) -> Kind {
        let name = declared.name.as_str();
        let is_function = declared.kind.is_function();
        let is_test = is_function
            && match self.language {
                Language::Rust => has_test_attribute(lead),
                Language::Python => name.starts_with("test_"),
                Language::Go => {
                    let parameters = node.child_by_field_name("parameters");
                    let takes_test = parameters.is_some_and(|parameters| {
                        let text = &self.text[parameters.byte_range()];
                        memchr::memmem::find(text, b"*testing.").is_some()
                    });
                    takes_test
                        && ["Test", "Benchmark", "Fuzz"].iter().any(|begin| name.starts_with(begin))
                }
                _ => self.is_test_method(name, parent, node),
            };
        let is_in_type = parent.is_some_and(|parent| parent.kind.has_methods());
        let is_property = rule.kind == Kind::Member && rule.place == Place::OutsideFunctions;
        match declared.kind {
            _ if is_test => Kind::Test,
            Kind::Function if is_in_type => Kind::Method,
            // A table of Lua may be a module.
            Kind::Function if matches!(rule.name, Name::Indexed | Name::Listed) => Kind::Function,
            Kind::Function if declared.qualifier.is_some() => Kind::Method,
            Kind::Member if is_property && !is_in_type && declared.qualifier.is_none() => {
                Kind::Constant
            }
            Kind::Member if self.is_constant(declared, outer) => Kind::Constant,
            kind => kind,
        }
    }

    /// Whether the words before the name of a field make it a constant.
    fn is_constant(&self, declared: &Declared<'_>, outer: Node<'_>) -> bool {
        let Some(name) = declared.name_node else { return false };
        let (start, end) = (declaration_start(outer).0, name.start_byte());
        let before = in_one_line(&self.text[start..end.max(start)]);
        let has = |word: &str| before.split(' ').any(|other| other == word);
        let constants = self.language.row().constants;
        constants.iter().any(|words| words.split(' ').all(has))
    }

    /// Whether an annotation such as `@Test` or `[Theory]` makes a function a test, or its name in a
    /// test case.
    fn is_test_method(&self, name: &str, parent: Option<&Symbol>, node: Node<'_>) -> bool {
        let annotations = self.language.row().test_annotations;
        if annotations.is_empty() {
            return false;
        }
        let is_case = parent.is_some_and(|parent| parent.signature.contains("TestCase"));
        let mut cursor = node.walk();
        let mut lists = node.children(&mut cursor).take_while(|child| {
            matches!(child.kind(), "modifiers" | "attribute_list") || is_comment(child)
        });
        let is_annotated = lists.any(|list| {
            let list = in_one_line(&self.text[list.byte_range()]);
            let mut words = list.split([' ', '[', ']', '(', ',']);
            words.any(|word| annotations.iter().any(|annotation| word.ends_with(annotation)))
        });
        is_case && name.starts_with("test") || is_annotated
    }

    fn is_public(
        &self,
        declared: &Declared<'_>,
        parent: Option<&Symbol>,
        outer: Node<'_>,
        signature: &str,
    ) -> bool {
        let has_word = |word: &str| {
            let declaration = signature.split(['(', '{', '=']).next().unwrap_or_default();
            // In Scala, `private[a]` is possible.
            let words = declaration.split([' ', '[', '<']);
            words.take_while(|word| *word != declared.name).any(|other| other == word)
        };
        // `pub(crate)` is not public.
        let is_restricted = signature.starts_with("pub(");
        let of_parent = parent.is_none_or(|parent| parent.is_public);
        let name = declared.name.as_str();
        match self.language.row().visibility {
            Visibility::Pub => match parent.map(|parent| parent.kind) {
                Some(Kind::Interface) => of_parent,
                Some(Kind::Implementation) => {
                    parent.is_some_and(|parent| parent.name.contains(" for "))
                        || has_word("pub") && !is_restricted
                }
                _ if declared.kind == Kind::Member => of_parent,
                _ if declared.kind == Kind::Implementation => true,
                _ => has_word("pub") && !is_restricted,
            },
            Visibility::Underscore => {
                let is_special = name.starts_with("__") && name.ends_with("__");
                of_parent && (is_special || !name.starts_with('_')) && !has_word("private")
            }
            Visibility::Export => match parent {
                Some(_) => {
                    let is_restricted = has_word("private") || has_word("protected");
                    of_parent && !is_restricted && !name.starts_with('#')
                }
                None => {
                    let is_assigned = ["exports.", "module.exports"]
                        .iter()
                        .any(|object| signature.starts_with(object));
                    outer.kind() == "export_statement" || has_word("export") || is_assigned
                }
            },
            Visibility::Capital => of_parent && name.chars().next().is_some_and(char::is_uppercase),
            Visibility::Public => {
                let is_block = matches!(declared.kind, Kind::Module | Kind::Implementation);
                let is_in_interface = parent.is_some_and(|parent| parent.kind == Kind::Interface);
                let is_variant = matches!(
                    outer.kind(),
                    "enum_constant" | "enum_member_declaration" | "enum_entry"
                );
                let is_public = is_block || has_word("public") || has_word("open");
                // `public extension`
                let is_in_public_block = parent.is_some_and(|parent| {
                    parent.kind == Kind::Implementation && parent.signature.starts_with("public ")
                });
                of_parent && (is_public || is_in_interface || is_variant || is_in_public_block)
            }
            Visibility::Without(words) => of_parent && !words.split(' ').any(has_word),
            Visibility::All => true,
        }
    }
}

/// Returns the end of a declaration before a semicolon on a later line, which begins a statement in
/// code without other semicolons.
fn end_without_semicolon(node: Node<'_>) -> Option<usize> {
    let count = node.child_count() as u32;
    let last = node.child(count.checked_sub(1)?).filter(|last| last.kind() == ";")?;
    let before = node.child(count.checked_sub(2)?)?;
    let is_apart = before.end_position().row < last.start_position().row;
    is_apart.then(|| before.end_byte())
}

/// Whether a node of Kotlin is an expression with an annotation before it. An annotation and its
/// argument in parentheses may be those of the next declaration.
fn is_annotated_value(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let last = node.named_children(&mut cursor).last();
    node.kind() == "annotated_expression"
        && last.is_some_and(|last| match last.kind() {
            "annotated_expression" => is_annotated_value(last),
            kind => kind != "parenthesized_expression",
        })
}

/// Returns the row of an offset near the end of a declaration.
fn row_of(outer: Node<'_>, node: Node<'_>, text: &[u8], at: usize) -> usize {
    let last = if outer.end_byte() < node.end_byte() { node } else { outer };
    let (end, row) = (last.end_byte(), last.end_position().row);
    match at < end {
        true => row - count_newlines(&text[at..end]) as usize,
        false => row + count_newlines(&text[end..at]) as usize,
    }
}

/// Returns the offset and the row of a declaration, after decorators and annotations.
fn declaration_start(outer: Node<'_>) -> (usize, usize) {
    let mut cursor = outer.walk();
    let mut is_in_modifiers = false;
    let mut descends = cursor.goto_first_child();
    while descends {
        let node = cursor.node();
        match node.kind() {
            // In Java, annotations are among the modifiers.
            "modifiers" if cursor.goto_first_child() => is_in_modifiers = true,
            "decorator" | "marker_annotation" | "annotation" | "attribute" | "attribute_list"
            | "comment" | "line_comment" | "block_comment" | "multiline_comment" => {
                descends = cursor.goto_next_sibling();
                if !descends && is_in_modifiers {
                    is_in_modifiers = false;
                    descends = cursor.goto_parent() && cursor.goto_next_sibling();
                }
            }
            _ => return (node.start_byte(), node.start_position().row),
        }
    }
    (outer.start_byte(), outer.start_position().row)
}

/// Whether the attributes before a function of Rust make it a test.
fn has_test_attribute(lead: &[u8]) -> bool {
    let lead = String::from_utf8_lossy(lead);
    lead.split("#[").skip(1).any(|attribute| {
        let path = attribute.split(['(', ']', ' ', '=']).next().unwrap_or_default();
        let last = path.rsplit("::").next().unwrap_or_default();
        matches!(last, "test" | "rstest" | "test_case" | "bench")
    })
}

/// Returns the lines before the `end` of a declaration that has no statement, as in Ruby.
fn lines_before_end(node: Node<'_>) -> Option<Body> {
    let node = assigned_function(node).unwrap_or(node);
    let [header, end] = last_two(node)?;
    let (header, last) = (header.end_position().row, end.start_position().row);
    let is_end = matches!(end.kind(), "end" | "block_end");
    let has_end = is_end && !end.is_missing() && header < last;
    has_end.then(|| body_of_rows(node, header + 1, last)).flatten()
}

/// Returns the function at the end of a declaration of Lua, `local f = function()`.
fn assigned_function(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let last = node.children(&mut cursor).last()?;
    match last.kind() {
        "function_definition" => Some(last),
        "assignment_statement" | "expression_list" => assigned_function(last),
        _ => None,
    }
}

/// Whether a declaration of Scala ends with `end name`.
fn has_end_marker(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).last().is_some_and(|last| last.kind() == "end_marker")
}

/// Returns the end of a declaration without the comments after it that are not indented more. In
/// Scala, the grammar includes them.
fn end_in_indentation(declaration: Node<'_>, text: &[u8], column: usize) -> usize {
    let mut node = declaration;
    loop {
        let mut cursor = node.walk();
        let is_outside =
            |child: &Node<'_>| is_comment(child) && child.start_position().column <= column;
        let children = node.children(&mut cursor);
        let (last, is_cut) = children.fold((None, false), |(last, _), child| {
            if is_outside(&child) { (last, true) } else { (Some(child), false) }
        });
        let end = node.start_byte() + text[node.byte_range()].trim_ascii_end().len();
        // The quote at the end of a string is no node.
        match last.filter(|last| is_cut || last.end_byte() >= end) {
            Some(last) if !is_comment(&node) => node = last,
            _ => return end,
        }
    }
}

/// Returns the last two nodes in a node that are not comments.
fn last_two(node: Node<'_>) -> Option<[Node<'_>; 2]> {
    let mut cursor = node.walk();
    let children = node.children(&mut cursor).filter(|child| !is_comment(child));
    let (before, last) = children.fold((None, None), |(_, last), child| (last, Some(child)));
    Some([before?, last?])
}

/// Returns the lines between braces, or `None` if they share lines with other text.
fn lines_in_braces(braces: Node<'_>, header: usize) -> Option<Body> {
    let mut cursor = braces.walk();
    let is_whole = braces.children(&mut cursor).last().is_some_and(|close| !close.is_missing());
    is_whole.then(|| body_of_rows(braces, header + 1, braces.end_position().row)).flatten()
}

/// Returns the body that a node has in some rows. `end` is the row after them.
fn body_of_rows(node: Node<'_>, start: usize, end: usize) -> Option<Body> {
    let mut cursor = node.walk();
    // Labels such as `private:` and lines of the preprocessor have an indentation of their own.
    let is_model = |child: &Node<'_>| {
        let is_apart = child.kind() == "access_specifier" || child.kind().starts_with("preproc");
        child.start_position().row >= start && child.is_named() && !is_apart
    };
    let model = node.children(&mut cursor).find(is_model);
    let model = model.map(|child| child.start_position().row as u64 + 1);
    let (start, end) = (start as u64 + 1, end as u64 + 1);
    (start <= end).then(|| Body { start, end, model, missing_comma: missing_comma(node) })
}

/// Returns the end of the last element of a list, if a comma must be added before another element.
fn missing_comma(list: Node<'_>) -> Option<usize> {
    let is_list = match list.kind() {
        // In Scala, each element is a `case`.
        "enum_body" => list.parent().is_some_and(|of| of.kind() != "enum_definition"),
        "enum_variant_list"
        | "enumerator_list"
        | "object"
        | "enum_member_declaration_list"
        | "table_constructor" => true,
        // In Kotlin, functions may follow the entries. In Swift, each has its own `case`.
        "enum_class_body" => last_two(list).is_some_and(|[last, _]| {
            let mut cursor = last.walk();
            let is_case = last.children(&mut cursor).any(|child| child.kind() == "case");
            last.kind() == "enum_entry" && !is_case
        }),
        // Those of Go and C contain lines.
        "field_declaration_list" => list.parent().is_some_and(|of| of.kind() == "struct_item"),
        _ => false,
    };
    let [last, _] = last_two(list)?;
    let is_element = last.is_named() && last.kind() != "enum_body_declarations";
    (is_list && is_element).then(|| last.end_byte())
}
