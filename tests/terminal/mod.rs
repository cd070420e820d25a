//! Output on a terminal.

mod colors;
mod control_sequences;
mod hyperlinks;
