//! Parts selected by conditions: which parts they are, and what commands do with them.

mod batches;
mod commands;
mod logs;
mod output;
mod selection;

use crate::support::{Outcome, Sandbox};

const FIRST: &str = "\
---
title: One
status: implementable
reviewed: 2026-01-03
tags: [a, b]
---
# KEP-1

## Design

### Graduation Criteria

#### Alpha

- in code

#### Beta

- moves to beta

### Test Plan

beta

## Drawbacks
";

const SECOND: &str = "\
---
title: Two
status: implemented
---
# KEP-2

## Graduation Criteria

### Alpha

moves to beta

### GA

done

## Setup
## Setup
";

const THIRD: &str = "\
# KEP-3

## Graduation Criteria
### Alpha
<!-- mention beta here -->
```
beta
```
## Notes
```sh
make install
```
";

const WORK: &str = "\
# Log
[LOG-001] - [DECISION] - a
The model is kept.
[LOG-002] - [DECISION] - b
No.
[LOG-003] - [NOTE] - c
The model again.
";

const LOG: &str = "\
2026-01-05 09:59:59 INFO start
2026-01-05 10:00:00 ERROR disk
  full
2026-01-05 10:30:59 ERROR net
2026-01-05 10:31:00 ERROR late
";

const INI: &str = "[database]\nhost = a\n[cache]\nttl = 5\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("keps/1.md", FIRST),
        ("keps/2.md", SECOND),
        ("keps/3.md", THIRD),
        ("WORK.md", WORK),
        ("app.log", LOG),
        ("conf/app.ini", INI),
        (
            "docs/guide.md",
            "# Guide\n\n## Install\n\n```bash\nmake install\n```\n\n### Linux\n\nTODO\n",
        ),
        ("docs/more.md", "# More\n\n## Setup\n\n<!-- TODO -->\n\n## Use\n\n## Use\n"),
        ("docs/other.md", "# Other\n\n## Setup\n"),
    ])
}

fn inspect(arguments: &[&str]) -> Outcome {
    sandbox().run(&[&["inspect"], arguments].concat())
}
