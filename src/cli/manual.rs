//! Manual pages: commands in section 1, help topics in sections 5 and 7.

use std::io::{self, Write};

use clap::Command;

use super::subcommands::{SUBCOMMANDS, complete_command, takes_roots};
use super::topics::{self, TOPICS};

/// Generates the manual page of folio, of a command or of a help topic. Returns `None` if the name
/// is unknown.
pub(super) fn page(name: Option<&str>) -> Option<io::Result<Vec<u8>>> {
    let Some(name) = name.filter(|name| *name != "folio") else {
        return Some(command_page(complete_command().about(super::own_flags::ABOUT), "folio"));
    };
    let name = name.strip_prefix("folio-").unwrap_or(name);
    if let Some(command) = SUBCOMMANDS.iter().find(|command| command.name == name) {
        // The name is a single word, so that `man folio-read` finds the page.
        let page: &str = command.page().leak();
        let named = (command.build)().name(page).display_name(page);
        return Some(command_page(named, &format!("folio {name}")));
    }
    topics::find(name).map(|topic| {
        let mut page = Vec::new();
        title(&mut page, &format!("folio-{name}"), topic.section)?;
        section(&mut page, "NAME", &format!("folio-{name} \\- {}", topic.about))?;
        text(&mut page, "DESCRIPTION", &topic.text())?;
        see_also(&mut page, name)?;
        Ok(page)
    })
}

/// Returns the names of all pages with their sections.
pub(super) fn pages() -> impl Iterator<Item = (String, u8)> {
    let commands = SUBCOMMANDS.iter().map(|command| (command.page(), 1));
    // If a command and a topic have the same name, the command's page is used.
    let topics =
        TOPICS.iter().filter(|topic| SUBCOMMANDS.iter().all(|command| command.name != topic.name));
    let topic_pages = topics.map(|topic| (format!("folio-{}", topic.name), topic.section));
    std::iter::once(("folio".to_owned(), 1)).chain(commands).chain(topic_pages)
}

/// Generates the page of a command. Long texts keep their line breaks, because they contain columns
/// and examples. `typed` is the command line of the command.
fn command_page(command: Command, typed: &str) -> io::Result<Vec<u8>> {
    let name = command.get_name().to_owned();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let description = command.get_long_about().map_or_else(|| about.clone(), ToString::to_string);
    let end = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let has_commands = command.has_subcommands();
    let has_roots = takes_roots(&command);
    let usage = command.clone().bin_name(typed).render_usage().to_string();
    let mut page = Vec::new();
    title(&mut page, &name, 1)?;
    section(&mut page, "NAME", &format!("{name} \\- {about}"))?;
    text(&mut page, "SYNOPSIS", usage.trim_start_matches("Usage: "))?;
    text(&mut page, "DESCRIPTION", &description)?;
    let man = clap_mangen::Man::new(command);
    let mut options = Vec::new();
    man.render_options_section(&mut options)?;
    if has_commands {
        writeln!(options, ".SH COMMANDS")?;
        for command in SUBCOMMANDS {
            writeln!(options, ".TP\n{}(1)\n{}", escaped(&command.page()), escaped(command.about))?;
        }
    }
    page.extend(without_strangers(&String::from_utf8_lossy(&options)));
    let (notes, examples, status) = parts(end.as_deref().unwrap_or_default());
    for (title, part) in [("NOTES", notes), ("EXAMPLES", examples), ("EXIT STATUS", status)] {
        if !part.is_empty() {
            text(&mut page, title, &part)?;
        }
    }
    environment(&mut page, &name, has_roots)?;
    see_also(&mut page, name.strip_prefix("folio-").unwrap_or(&name))?;
    Ok(page)
}

/// Splits the end of a command's help into notes, examples and exit statuses.
pub(super) fn parts(end: &str) -> (String, String, String) {
    let (mut notes, mut examples, mut status) = (Vec::new(), String::new(), String::new());
    for paragraph in end.split("\n\n") {
        if let Some(lines) = paragraph.strip_prefix("Examples:\n") {
            examples = lines.to_owned();
        } else if let Some(lines) = paragraph.strip_prefix("Exit status: ") {
            status = lines.to_owned();
        } else {
            notes.push(paragraph);
        }
    }
    (notes.join("\n\n").trim().to_owned(), examples, status)
}

fn environment(page: &mut Vec<u8>, name: &str, has_roots: bool) -> io::Result<()> {
    if !has_roots {
        return Ok(());
    }
    let keeps_history = ["folio-patch", "folio-undo"].contains(&name);
    writeln!(page, ".SH ENVIRONMENT")?;
    let mut variable =
        |name: &str, description: &str| writeln!(page, ".TP\n.B {name}\n{}", escaped(description));
    variable("FOLIO_ROOT", "Default for --root; several roots are separated by colons")?;
    variable("FOLIO_CONFIG", "User configuration file, instead of ~/.config/folio/config.toml")?;
    if keeps_history {
        variable("FOLIO_UNDO", "Set to 0 to record no history")?;
        variable("XDG_STATE_HOME", "Directory of the history; default ~/.local/state")?;
    }
    variable("NO_COLOR", "If set and not empty, disable color")?;
    variable("CLICOLOR_FORCE", "If set and not 0, enable color with --color auto")?;
    if keeps_history {
        writeln!(page, ".SH FILES\n.TP\n.I $XDG_STATE_HOME/folio")?;
        writeln!(page, "History for undo, and the journal for recovery after a crash")?;
    }
    Ok(())
}

fn see_also(page: &mut Vec<u8>, name: &str) -> io::Result<()> {
    let others = pages().filter(|(page, section)| {
        page.strip_prefix("folio-").unwrap_or(page) != name && (*section != 1 || name != "folio")
    });
    let others: Vec<String> =
        others.map(|(page, section)| format!("{}({section})", escaped(&page))).collect();
    section(page, "SEE ALSO", &others.join(",\n"))
}

fn title(page: &mut Vec<u8>, name: &str, section: u8) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(page, ".TH {name} {section} \"\" \"folio {version}\" \"Folio Manual\"\n.nh")
}

fn section(page: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    writeln!(page, ".SH {title}\n{text}")
}

/// Adds a section of preformatted text.
fn text(page: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    writeln!(page, ".SH {title}\n.nf")?;
    for line in text.trim_end().lines() {
        let guard = if line.starts_with('.') { "\\&" } else { "" };
        writeln!(page, "{guard}{}", escaped(line))?;
    }
    writeln!(page, ".fi")
}

/// Escapes text for roff, using only ASCII.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    ascii(&text)
}

fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            character if character.is_ascii() => out.push(character),
            character => out.push_str(&format!("\\[u{:04X}]", u32::from(character))),
        }
    }
    out
}

/// Removes the preamble that clap adds to each section.
fn without_strangers(options: &str) -> Vec<u8> {
    let lines = options
        .lines()
        .filter(|line| !line.starts_with(".ie \\n(.g .ds Aq") && !line.starts_with(".el .ds Aq"));
    let lines: String = lines.map(|line| ascii(line).replace("\\*(Aq", "\\(aq") + "\n").collect();
    lines.into_bytes()
}
