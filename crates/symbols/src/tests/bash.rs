//! Symbols of shells.

use super::table;
use crate::Language;

#[test]
fn bash() {
    assert_eq!(table(Language::Bash, BASH), BASH_SYMBOLS);
}

pub(super) const BASH: &str = "#!/bin/bash
# The header.

# Prints.
usage() {
  cat <<EOF
not_a_function() {
  :
}
EOF
}

function build { # Comment.
  nested() {
    :
  }
  local value=1
}

function both() { :; }
logged() {
  :
} >>log 2>&1
in_subshell() (
  :
)
one() { :; }; one
if true; then
  # Conditional.
  conditional() {
    :
  }
fi
'quoted() { :; }'
";

const BASH_SYMBOLS: &str = "\
4-11 function usage body 6-10 public
13-18 function build body 14-17 public
14-16 function build > nested body 15-15 public
20-20 function both public
21-23 function logged body 22-22 public
24-26 function in_subshell body 25-25 public
29-32 function conditional body 31-31 public
";
