//! Finds the closest match to a text, line or name that was not found.

pub mod difference;
pub mod line;
pub mod name;
pub mod text;
