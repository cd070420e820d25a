//! The disk: opening, reading and walking. It knows no command.

pub mod address;
pub mod load;
pub mod walk;
