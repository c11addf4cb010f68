//! Tests of the whole: tables of real-looking lines, and laws.

mod hostile;
mod laws;
mod problems;
mod tables;
