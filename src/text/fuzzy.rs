//! What is most like something that was not found: a text, a line, a name.

pub mod difference;
pub mod line;
pub mod name;
pub mod text;
