//! The pictures of the README: terminal sessions on the sample files, drawn as SVG.

use anstyle_svg::Term;

use super::{CONSOLE, check_directory, root, shell};
use crate::support::{Sandbox, terminal};

const DIRECTORY: &str = "docs/pictures";

/// The pictures, with the commands that each shows.
const PICTURES: &[(&str, &[&str])] = &[
    ("inspect.svg", &["folio inspect guide.md"]),
    (
        "grep.svg",
        &["folio grep -k 'TODO|DECISION' guide.md app.ini", "folio grep -W DECISION guide.md"],
    ),
    (
        "patch.svg",
        &[
            "folio patch replace app.ini --section database --key host --value -c db2 -d",
            "folio patch replace app.ini --section database --key host --value -c db2",
            "folio undo",
        ],
    ),
    ("links.svg", &["folio links notes.md"]),
    (
        "search.svg",
        &[
            "folio search -c . --limit 2 'decisions about caching'",
            "folio search -c . --limit 1 'which host has the main database'",
        ],
    ),
];

const COLUMNS: u16 = 80;
/// Width of the drawing in pixels.
const WIDTH_PIXELS: usize = 672;
const MORE_ROOM: usize = 8;
const MAX_BYTES: usize = 30_000;

/// Colors that are readable on [`BACKGROUND`], in the order of the escape sequences.
const PALETTE: [(u8, u8, u8); 16] = [
    (0x48, 0x4f, 0x58),
    (0xff, 0x7b, 0x72),
    (0x56, 0xd3, 0x64),
    (0xe3, 0xb3, 0x41),
    (0x79, 0xc0, 0xff),
    (0xd2, 0xa8, 0xff),
    (0x56, 0xd4, 0xdd),
    (0xe6, 0xed, 0xf3),
    (0x8b, 0x94, 0x9e),
    (0xff, 0xa1, 0x98),
    (0x7e, 0xe7, 0x87),
    (0xf2, 0xcc, 0x60),
    (0xa5, 0xd6, 0xff),
    (0xe2, 0xc5, 0xff),
    (0xb3, 0xf0, 0xff),
    (0xff, 0xff, 0xff),
];
const FOREGROUND: (u8, u8, u8) = (0xe6, 0xed, 0xf3);
const BACKGROUND: (u8, u8, u8) = (0x16, 0x1b, 0x22);

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn pictures_show_the_output_of_a_terminal() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a README");
    let mut files = Vec::new();
    for (name, commands) in PICTURES {
        assert!(readme.contains(&format!("{DIRECTORY}/{name}")), "the README does not show {name}");
        let picture = draw(&shown(&readme, commands));
        assert!(picture.len() < MAX_BYTES, "{name} has {} bytes", picture.len());
        files.push(((*name).to_owned(), picture.into_bytes()));
    }
    check_directory(DIRECTORY, files);
}

#[test]
fn pictures_have_the_colors_of_a_terminal() {
    let readme = "```console\n$ printf '# A\\n' > a.md\n```\n";
    let shown = shown(readme, &["folio inspect a.md", "folio read a.md#b"]);
    assert!(shown.contains("\x1b[36;1m# A"), "{shown:?}");
    assert!(shown.contains("no anchor '#b'"), "{shown:?}");
    let picture = draw(&shown);
    assert!(picture.contains(r#"<tspan class="fg-cyan bold"># A</tspan>"#), "{picture}");
    assert!(!picture.contains('\x1b'), "{picture}");
}

/// Returns the screen of a terminal with commands and their output. The directory contains the
/// files that the README's commands create.
fn shown(readme: &str, commands: &[&str]) -> String {
    let sandbox = Sandbox::with(&[("README.md", readme)]);
    for line in made_files(readme) {
        let run = crate::support::outcome(&mut shell(&sandbox, line), b"");
        assert!(run.status == Some(0), "{line}\n{run}");
    }
    // The pictures show only the sample files, because the README changes often.
    std::fs::remove_file(sandbox.path("README.md")).expect("the README");
    if commands.iter().any(|command| command.starts_with("folio search")) {
        // The index is built first, so that the picture contains no progress line.
        crate::support::outcome(&mut shell(&sandbox, "folio search -c . anything"), b"");
    }
    let mut screen = String::new();
    for command in commands {
        let mut shell = shell(&sandbox, command);
        shell.env("TERM", "xterm-256color");
        let printed = terminal::screen(&mut shell, COLUMNS);
        for line in printed.lines() {
            assert!(visible(line) <= usize::from(COLUMNS), "{command}: too wide: {line}");
        }
        let between = if screen.is_empty() { "" } else { "\n" };
        screen.push_str(&format!("{between}\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\n{printed}"));
    }
    screen.trim_end().to_owned()
}

/// Returns the commands of the README that create sample files.
fn made_files(readme: &str) -> Vec<&str> {
    let mut in_console = false;
    let mut found = Vec::new();
    for line in readme.lines() {
        if line.starts_with("```") {
            in_console = line.trim_start_matches('`') == CONSOLE;
        }
        let command = line.strip_prefix("$ ").filter(|_| in_console);
        found.extend(command.filter(|command| command.contains(" > ")));
    }
    found
}

/// Returns the number of columns of a line without its escape sequences.
fn visible(line: &str) -> usize {
    let mut parts = line.split("\x1b[");
    let first = parts.next().map_or(0, |text| text.chars().count());
    let others = parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.chars().count()));
    first + others.sum::<usize>()
}

fn draw(screen: &str) -> String {
    let term = Term::new()
        .palette(PALETTE.map(Into::into).into())
        .fg_color(FOREGROUND.into())
        .bg_color(BACKGROUND.into())
        .min_width_px(WIDTH_PIXELS);
    let picture = term.render_svg(screen);
    // The margins above and below the text must be equal. Browsers do not support opacity for parts
    // of a text.
    let height = picture.split('"').nth(3).and_then(|height| height.strip_suffix("px"));
    let height: usize = height.and_then(|height| height.parse().ok()).expect("a height");
    picture
        .replacen(&format!("{height}px"), &format!("{}px", height + MORE_ROOM), 1)
        .replace(".dimmed { opacity: 0.4; }", ".dimmed { fill-opacity: 0.65; }")
}
