//! The document that the ticket commands write.

use serde::Serialize;

use super::embedded::Event;
use super::snapshot::Ticket;

/// `greenloop.ticket.v1`: tickets, in the order that the command states.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct TicketDocument<'a> {
    /// `greenloop.ticket.v1`.
    schema: &'static str,
    /// The tickets.
    tickets: Vec<&'a Ticket>,
    /// What greenloop did to the ticket, oldest first. Only when one ticket is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<Event>>,
}

impl<'a> TicketDocument<'a> {
    /// Name and version of the format.
    pub const SCHEMA: &'static str = "greenloop.ticket.v1";

    /// A list of tickets.
    pub fn list(tickets: Vec<&'a Ticket>) -> Self {
        Self { schema: Self::SCHEMA, tickets, history: None }
    }

    /// One ticket with its history.
    pub fn one(ticket: &'a Ticket, history: Vec<Event>) -> Self {
        Self { schema: Self::SCHEMA, tickets: vec![ticket], history: Some(history) }
    }
}
