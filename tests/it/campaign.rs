//! Campaigns through the real program: races, what is refused, damage, disks, and the rules of tickets.

#![cfg(test)]

mod damage;
mod disks;
mod persons;
mod races;
mod random;
mod rules;
mod tickets;
