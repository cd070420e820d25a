//! Generates realistic Markdown, which is always the same for the same seed: headings of all levels
//! and both kinds, prose with links, nested lists, fences with text that looks like headings,
//! tables, quotes, HTML, reference definitions and front matter. The benchmark of instructions also
//! uses it.

/// Average number of bytes between two headings.
const HEADING_EVERY: usize = 640;

const WORDS: &[&str] = &[
    "address", "after", "all", "and", "archive", "as", "before", "block", "branch", "buffer", "by",
    "cache", "change", "letter", "client", "command", "config", "link", "default", "folder",
    "document", "each", "encoding", "error", "field", "file", "for", "from", "handler", "if", "in",
    "index", "install", "surface", "is", "it", "key", "language", "line", "memory", "message",
    "module", "naïve", "name", "not", "of", "on", "option", "or", "output", "package", "argument",
    "path", "pattern", "process", "query", "range", "request", "response", "result", "section",
    "server", "setting", "table", "template", "that", "the", "this", "to", "token", "type",
    "value", "version", "when", "with", "write", "文档",
];

const LANGUAGES: &[&str] = &["bash", "python", "rust", "json", "yaml", "text", ""];

/// Pseudo-random numbers from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the numbers for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns a number in a range, both ends included.
    fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns `true` once in this number of calls on average.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Appends a document of about `bytes` bytes, with a title and without unclosed constructs.
pub fn push_document(random: &mut Random, bytes: usize, out: &mut String) {
    let end = out.len() + bytes;
    push_heading(random, 1, out);
    let mut next_heading = out.len() + HEADING_EVERY / 2;
    while out.len() < end {
        if out.len() >= next_heading {
            let level = [2, 2, 2, 3, 3, 3, 4, 4, 5, 6][random.below(10)];
            push_heading(random, level, out);
            next_heading = out.len() + random.below(2 * HEADING_EVERY - 200);
        }
        push_block(random, out);
    }
}

/// Appends front matter to one in three documents.
pub fn push_front_matter(random: &mut Random, out: &mut String) {
    if !random.once_in(3) {
        return;
    }
    out.push_str("---\ntitle: ");
    push_words(random, 4, out);
    out.push_str("\ntags: [");
    push_words(random, 1, out);
    out.push_str("]\n---\n\n");
}

fn push_heading(random: &mut Random, level: usize, out: &mut String) {
    let count = random.between(1, 5);
    if level <= 2 && random.once_in(8) {
        let start = out.len();
        push_words(random, count, out);
        let width = out.len() - start;
        out.push('\n');
        push_repeated(if level == 1 { "=" } else { "-" }, width, out);
        out.push_str("\n\n");
        return;
    }
    push_repeated("#", level, out);
    out.push(' ');
    push_words(random, count, out);
    match random.below(16) {
        0 => out.push_str(" `option`"),
        1 => out.push_str(" *and more*"),
        2 => out.push_str(" {#custom-id}"),
        3 => {
            out.push(' ');
            push_repeated("#", level, out);
        }
        _ => {}
    }
    out.push_str("\n\n");
}

fn push_block(random: &mut Random, out: &mut String) {
    match random.below(100) {
        0..40 => push_paragraph(random, out),
        40..52 => push_list(random, out),
        52..75 => push_fence(random, out),
        75..78 => push_table(random, out),
        78..82 => push_quote(random, out),
        82..90 => push_html(random, out),
        90..95 => push_definitions(random, out),
        95..99 => push_indented(random, out),
        _ => out.push_str("---\n\n"),
    }
}

/// Appends one to four lines, or one long line.
fn push_paragraph(random: &mut Random, out: &mut String) {
    if random.once_in(4) {
        let count = random.between(20, 60);
        push_sentence(random, count, out);
        out.push_str("\n\n");
        return;
    }
    for _ in 0..random.between(1, 4) {
        push_sentence(random, 10, out);
        out.push('\n');
    }
    out.push('\n');
}

fn push_list(random: &mut Random, out: &mut String) {
    let ordered = random.once_in(4);
    for number in 1..=random.between(2, 6) {
        let indent = if ordered {
            push_number(number, out);
            out.push_str(". ");
            "   "
        } else {
            out.push_str("- ");
            "  "
        };
        let count = random.between(3, 14);
        push_sentence(random, count, out);
        out.push('\n');
        match random.below(8) {
            0..2 => push_nested(random, indent, out),
            2 => {
                out.push_str(indent);
                push_sentence(random, 6, out);
                out.push('\n');
            }
            _ => {}
        }
    }
    out.push('\n');
}

/// Appends the contents of an item: nested items or a fence.
fn push_nested(random: &mut Random, indent: &str, out: &mut String) {
    if random.once_in(3) {
        for line in ["", "```sh", "# in a list item", "make install", "```"] {
            if !line.is_empty() {
                out.push_str(indent);
            }
            out.push_str(line);
            out.push('\n');
        }
        return;
    }
    for _ in 0..random.between(1, 3) {
        out.push_str(indent);
        out.push_str("* ");
        push_sentence(random, 8, out);
        out.push('\n');
    }
}

fn push_fence(random: &mut Random, out: &mut String) {
    let fence = if random.once_in(6) { "~~~" } else { "```" };
    out.push_str(fence);
    out.push_str(random.pick(LANGUAGES));
    out.push('\n');
    for _ in 0..random.between(1, 18) {
        match random.below(60) {
            0 => out.push_str("# "),
            1..20 => {}
            _ => out.push_str("    "),
        }
        let count = random.between(1, 5);
        push_words(random, count, out);
        out.push_str(" = {}\n");
    }
    out.push_str(fence);
    out.push_str("\n\n");
}

fn push_table(random: &mut Random, out: &mut String) {
    out.push_str("| Name | Type | Meaning |\n|------|:----:|---------|\n");
    for _ in 0..random.between(2, 7) {
        for count in [1, 2, 10] {
            out.push_str("| ");
            push_words(random, count, out);
            out.push(' ');
        }
        out.push_str("|\n");
    }
    out.push('\n');
}

fn push_quote(random: &mut Random, out: &mut String) {
    if random.once_in(4) {
        out.push_str("> [!NOTE]\n");
    }
    if random.once_in(8) {
        out.push_str("> ### ");
        push_words(random, 3, out);
        out.push_str("\n>\n");
    }
    for _ in 0..random.between(1, 3) {
        out.push_str("> ");
        push_sentence(random, 9, out);
        out.push('\n');
    }
    out.push('\n');
}

fn push_html(random: &mut Random, out: &mut String) {
    match random.below(4) {
        0 => out.push_str("<a name=\"place\"></a>\n"),
        1 => out.push_str("<!-- a comment\n# that holds what is no heading\n-->\n"),
        2 => out.push_str("<pre>\n# no heading either\n</pre>\n"),
        _ => {
            out.push_str("<details>\n<summary>");
            push_words(random, 3, out);
            out.push_str("</summary>\n\n");
            push_sentence(random, 12, out);
            out.push_str("\n\n</details>\n");
        }
    }
    out.push('\n');
}

fn push_definitions(random: &mut Random, out: &mut String) {
    for _ in 0..random.between(1, 4) {
        out.push('[');
        push_words(random, 2, out);
        out.push_str("]: https://example.org/");
        out.push_str(random.pick(WORDS));
        out.push_str(if random.once_in(3) { " \"A title\"\n" } else { "\n" });
    }
    out.push('\n');
}

fn push_indented(random: &mut Random, out: &mut String) {
    for _ in 0..random.between(1, 4) {
        out.push_str("    ");
        push_words(random, 8, out);
        out.push('\n');
    }
    out.push('\n');
}

/// Appends words, some of them with markup, and a full stop.
fn push_sentence(random: &mut Random, count: usize, out: &mut String) {
    for index in 0..count {
        if index > 0 {
            out.push(' ');
        }
        let word = random.pick(WORDS);
        let (before, after) = match random.below(40) {
            0 => ("`", "`"),
            1 => ("**", "**"),
            2 => ("*", "*"),
            3 => ("[", "](https://example.org/a/b.md)"),
            4 => ("[", "][of the]"),
            5 => ("", ","),
            _ => ("", ""),
        };
        for part in [before, word, after] {
            out.push_str(part);
        }
    }
    out.push('.');
}

fn push_words(random: &mut Random, count: usize, out: &mut String) {
    for index in 0..count {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(random.pick(WORDS));
    }
}

fn push_number(number: usize, out: &mut String) {
    out.push_str(&number.to_string());
}

fn push_repeated(text: &str, count: usize, out: &mut String) {
    for _ in 0..count {
        out.push_str(text);
    }
}
