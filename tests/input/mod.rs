//! The files and streams that commands read: unusual ones are accepted, and others are reported with
//! a reason and a hint.

mod files;
mod lines;
mod pipes;
mod similar_names;
mod system_calls;
