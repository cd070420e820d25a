//! The command line: commands, options, help and configuration.

mod commands;
mod config;
mod help;
mod repeated_options;
mod usage;
