//! Tests of the whole: tables of real-looking lines, and laws.

mod corpus;
mod hostile;
mod laws;
mod problems;
mod tables;
