//! Rules of makefiles.

use super::table;
use crate::{Language, symbols};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(table(Language::Makefile, text), expected, "{text}");
}

#[test]
fn makefile() {
    check(MAKEFILE, MAKEFILE_SYMBOLS);
}

pub(super) const MAKEFILE: &str = "# The header.

CC ?= cc
OBJECTS := a.o \\
  b.o

.PHONY: all clean
## all: builds it
# with cc
all: build test # Not a name.

build test: $(OBJECTS) \\
    other
\t$(CC) -o $@ \\
$^
# In the recipe.
\t@echo done: yes

\t@echo more
ifdef DEBUG
\t@echo debug
endif

define BLOCK
not: a rule
\techo
define INNER
endef
endef

%.o: %.c ; $(CC) -c $<
debug: CFLAGS += -g
debug: export MODE = debug
debug: private override X:=1
debug: build

$(OBJECTS:.c=.o): config.h
a\\:b c&: d
\ttouch $@
double::
\techo one
double::
\techo two
$(info see: this)
$(eval $(call BLOCK,x))
override define OTHER
no: rule
endef
ifeq ($(OS),Windows_NT)
# For Windows.
clean:
\tdel *.o
else ifneq (,$(X))
clean:
\trm x
ifdef Y
\trm y
endif
else
clean: ; rm *.o
endif
include a.mk
export PATH := $(PATH):/bin
url = http://a/b
u ::= x: y
include: x
";

const MAKEFILE_SYMBOLS: &str = "\
7-7 target .PHONY public
8-10 target all public
12-22 target build test body 14-22 public
31-31 target %.o public
35-35 target debug public
37-37 target $(OBJECTS:.c=.o) public
38-39 target a\\:b c body 39-39 public
40-41 target double body 41-41 public
42-43 target double body 43-43 public
50-52 target clean body 52-52 public
54-58 target clean body 55-58 public
60-60 target clean public
66-66 target include public
";

#[test]
fn recipes_end_at_other_lines() {
    // A tab after a variable does not continue the recipe.
    check("a:\n\tx\nB = 1\n\ty: z\n", "1-2 target a body 2-2 public\n4-4 target y public\n");
    // The rules in a conditional end with it.
    check("a:\nifdef X\n\tx\nb:\nendif\n\ty\n", "1-1 target a public\n4-4 target b public\n");
    check("a:\n\tx\n\t\n\n# Next.\n\nb:\n", "1-2 target a body 2-2 public\n7-7 target b public\n");
    check("a:\r\n\tx\r\n", "1-2 target a body 2-2 public\n");
    // Other prefixes are not supported.
    check("a:\n\tx\n.RECIPEPREFIX = >\nb:\n>echo c: d\n", "1-2 target a body 2-2 public\n");
    check("a b\n", "");
    check("$(a: b\n", "");
}

#[test]
fn lines_without_a_separator_are_mistakes() {
    let errors =
        |text: &str| symbols(Language::Makefile, text.as_bytes()).unwrap_or_default().errors;
    assert!(errors(MAKEFILE).is_empty());
    let found = errors("a:\n    echo x\n\tb\n.if x\n$(x) y\n");
    assert_eq!(found.iter().map(|error| error.lines.start()).collect::<Vec<_>>(), [2]);
}
