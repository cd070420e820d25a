//! Documents that several tests use.

use super::{Sandbox, numbers};

/// A Markdown document that contains every kind of element.
pub const GUIDE: &str = "\
---
title: Front Title
date: 2026-01-01
tags: [a, b]
---

# Project `Overview` {#top}

Intro with database.

## Installation ##

```bash
# not a heading
make install
```

### Linux

text <a id=\"linux-anchor\"></a>

> ## Quoted
> body

- item
  ~~~
  no language
  ~~~

## Usage

[LOG-001] - first entry
body

# Second
";

/// An INI file.
pub const APP: &str = "\
; settings
; of the application

global = 1

[database]
host = localhost ; here
port: 5432


# where things are kept
[cache]
size=1
";

/// Creates a directory with a few files, of which one is binary.
pub fn few_files() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("guide.md", "# Guide\n\n## Setup\n1\n# Other\n## Setup\n2\n"),
        ("n.txt", &numbers(20)),
        ("sub/x.md", "# X\n"),
    ]);
    sandbox.write("image.png", b"\x89PNG\0\0\0");
    sandbox
}

/// Creates a text with these lines at these positions, and other lines between them.
pub fn document_with_lines(total: usize, lines: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let given = lines.iter().find(|(at, _)| *at == number);
        given.map_or_else(|| format!("filling {number}"), |(_, text)| (*text).to_owned())
    };
    (1..=total).map(|number| line(number) + "\n").collect()
}

/// Returns a Markdown document of 847 lines with every kind of element.
pub fn overview() -> String {
    document_with_lines(
        847,
        &[
            (1, "---"),
            (2, "title: Overview"),
            (3, "date: 2026-01-01"),
            (4, "tags: [a]"),
            (5, "---"),
            (6, ""),
            (7, "# Project Overview"),
            (15, "## Installation"),
            (18, "### Prerequisites"),
            (20, "```bash"),
            (25, "```"),
            (35, "### Quick Start"),
            (50, ""),
            (51, ""),
            (52, "## Configuration {#config-options}"),
            (53, "The following options are available:"),
            (55, "```json"),
            (72, "```"),
            (87, "- how to recieve it"),
            (90, ""),
            (91, "Configure the database connection string:"),
            (92, ""),
            (120, "## API Reference"),
            (125, "```typescript"),
            (180, "```"),
            (200, "## Contributing"),
            (300, "### Performance Tuning"),
            (304, "The database connection pool size can be adjusted"),
        ],
    )
}

/// Creates a directory with a long Markdown document and a long configuration file.
pub fn long_texts() -> Sandbox {
    let settings = document_with_lines(
        160,
        &[
            (1, "# settings"),
            (2, "# of the"),
            (3, "# application"),
            (4, ""),
            (5, "[database]"),
            (6, "host = localhost"),
            (7, "port = 5432"),
            (44, ""),
            (45, "[cache]"),
            (88, ""),
            (89, "[logging]"),
            (150, ""),
        ],
    );
    // The filler lines are neither keys nor comments in INI.
    Sandbox::with(&[("docs/README.md", &overview()), ("config/settings.conf", &settings)])
}

/// Returns lines of a text, counted from 1.
pub fn lines_of(text: &str, start: usize, end: usize) -> String {
    text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect()
}
