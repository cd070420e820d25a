//! `folio grep`: matches and their sections, as text and as JSON. `differential` compares the
//! features that ripgrep also has.

mod input;
mod output;
mod ripgrep;
mod sections;
mod usage;

use crate::support::Sandbox;
use crate::support::records::{Found, Record};

fn tree() -> Sandbox {
    Sandbox::with(&[
        ("docs/a.md", "# A\n\nfoo one\n"),
        ("docs/b.md", "# B\n\nfoo two\n"),
        ("docs/deep/c.md", "foo three\n"),
        (".hidden.md", "foo hidden\n"),
        (".ignore", "ignored.md\n"),
        ("ignored.md", "foo ignored\n"),
        ("top.md", "nothing\n"),
    ])
}

const WORK: &str = "\
# Work

intro foo

## Log

[LOG-001] - [DECISION] foo
text
### Sub
foo in sub
[LOG-002] - x
foo end
```
foo in code
# not foo
```
## Next
foo
";

const APP: &str = "root = foo\n\n[database]\nhost = foo\n\n[cache]\nhost = foo\n";

fn work() -> Sandbox {
    Sandbox::with(&[("WORK.md", WORK), ("app.ini", APP), ("plain.txt", "foo\nbar foo\n")])
}

fn found(arguments: &[&str]) -> Vec<Found> {
    Found::all(&work().run(&[&["grep", "--json"], arguments].concat()).succeeds())
}
