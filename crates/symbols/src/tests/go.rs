//! Symbols of Go.

use super::table;
use crate::Language;

#[test]
fn go() {
    assert_eq!(table(Language::Go, GO), GO_SYMBOLS);
}

pub(super) const GO: &str = r#"package main

import "testing"

// Limit is a limit.
const Limit = 1

const (
	// A is first.
	A = iota // Comment.
	B

	c, d = 1, 2
)

var x, y int

// Stack is generic.
type Stack[T any] struct {
	items []T
}

type (
	Alias = int
	// Shape has an area.
	Shape interface {
		Area() float64
		fmt.Stringer
	}
)

// Push pushes.
func (s *Stack[T]) Push(item T) {
	type local struct{}
	var ignored = 1
	s.items = append(s.items, item)
}

func (Stack[T]) empty() bool { return true }

func one() {}; func two() {}

func TestPush(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		const inLiteral = 1
	})
}
"#;

const GO_SYMBOLS: &str = "\
5-6 constant Limit public
9-10 constant A public
11-11 constant B public
18-21 type Stack body 20-20 public
24-24 type Alias public
25-29 type Shape body 27-28 public
27-27 method Shape > Area public
32-37 method Stack > Push body 34-36 public
34-34 type Push > local
39-39 method Stack > empty
43-47 test TestPush body 44-46 public
";
