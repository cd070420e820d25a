//! The house rules of the sources.
