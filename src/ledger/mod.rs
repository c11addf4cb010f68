//! Durable things: the hash-chained ledger, whole files written atomically, locks, and checkpoints for kill tests.

pub mod checkpoint;
