//! Symbols of Rust.

use super::table;
use crate::Language;

#[test]
fn rust() {
    assert_eq!(table(Language::Rust, RUST), RUST_SYMBOLS);
}

pub(super) const RUST: &str = r#"//! Crate documentation.

/// Documentation, with an attribute
/// and a blank line after it.

#[derive(Clone)]
// A comment.
pub struct Point {
    /// A field is no symbol.
    x: u64,
}

// A blank line separates this comment from the function.

/** Block documentation. */
pub(crate) fn plain(
    text: &str,
) -> usize {
    const LOCAL: usize = 1;
    /// Nested.
    fn nested() {}
    struct Inner;
    text.len() + LOCAL
} // After it.

fn one_line() {} fn shares_its_line() {}
fn alone() -> u8 { 1 }

pub enum Shape {
    /// Round.
    Circle(f64), // In meters.
    Square { side: f64 }, /* Block,
    over two lines. */
    A, B,
}

impl<T> fmt::Display for Wrapper<T> {
    type Output = T;
    const SIZE: usize = 4;

    #[inline]
    fn fmt(&self) {}
}

impl !Send for Point {}

pub trait Area {
    const UNIT: &str;
    fn area(&self) -> f64;
    fn double(&self) -> f64 {
        2.0 * self.area()
    }
}

extern "C" {
    pub fn external(a: i32);
}

macro_rules! list {
    () => {};
}

list! {
    fn in_a_call() {}
}

static GLOBAL: fn() = || {
    const IN_CLOSURE: u8 = 1;
};
pub type Alias = u8;
mod elsewhere;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert!(true);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn waits() {}
}
"#;

const RUST_SYMBOLS: &str = "\
3-11 type Point body 9-10 public
15-24 function plain body 19-23
20-21 function plain > nested
22-22 type plain > Inner
27-27 function alone
29-35 type Shape body 30-34 public
30-31 member Shape > Circle public
32-33 member Shape > Square public
37-43 impl impl fmt::Display for Wrapper<T> body 38-42 public
38-38 type impl fmt::Display for Wrapper<T> > Output public
39-39 constant impl fmt::Display for Wrapper<T> > SIZE public
41-42 method impl fmt::Display for Wrapper<T> > fmt public
45-45 impl impl !Send for Point public
47-53 interface Area body 48-52 public
48-48 constant Area > UNIT public
49-49 method Area > area public
50-52 method Area > double body 51-51 public
56-56 function external public
59-61 macro list
67-69 constant GLOBAL
70-70 type Alias public
71-71 module elsewhere
73-84 module tests body 75-83
77-80 test tests > works body 79-79
82-83 test tests > waits
";
