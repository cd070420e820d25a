//! Symbols of Python.

use super::table;
use crate::Language;

#[test]
fn python() {
    assert_eq!(table(Language::Python, PYTHON), PYTHON_SYMBOLS);
}

pub(super) const PYTHON: &str = r#"#!/usr/bin/env python3
"""Module."""

# The limit.
LIMIT: int = 3
a = b = 1
x, y = 1, 2
first = 1; second = 2
value.attribute = 1


# Above the decorator.
@cache
# Between.
@other(
    1,
)
def decorated(a,
              b):
    """Documentation."""
    local = 1

    def nested():
        return local

    return nested
    # Deeper than the function.

# Not deeper.


class Shape(Base):
    # A comment before the first statement.
    sides = 4

    @property
    def area(self): return 1

    async def load(self):
        # Only a comment, then a statement.
        pass

    def _private(self):
        pass


if LIMIT:
    fallback = None

    def conditional():
        pass
else:
    def conditional(): pass

call = lambda: 1
def test_it():
    pass
type Pair[T] = tuple[T, T]
"#;

const PYTHON_SYMBOLS: &str = "\
4-5 constant LIMIT public
12-27 function decorated body 20-27 public
23-24 function decorated > nested body 24-24 public
32-44 type Shape body 33-44 public
33-34 constant Shape > sides public
36-37 method Shape > area public
39-41 method Shape > load body 40-41 public
43-44 method Shape > _private body 44-44
48-48 constant fallback public
50-51 function conditional body 51-51 public
53-53 function conditional public
55-55 constant call public
56-57 test test_it body 57-57 public
58-58 type Pair public
";
