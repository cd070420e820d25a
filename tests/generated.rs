//! What is generated from the sources agrees with them.
