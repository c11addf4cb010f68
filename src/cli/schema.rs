//! `greenloop schema`.

use clap::ValueEnum;
use schemars::generate::SchemaSettings;
use schemars::{Schema, schema_for};

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::exit_status;
use crate::ui;

/// Arguments of `greenloop schema`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The schemas are JSON Schema, draft 2020-12. Objects may gain fields within a version and never lose or \
    change one, so readers should pass over what they do not know.\n\nExample: greenloop schema plan > plan.schema.json"
)]
pub struct Args {
    /// The document.
    #[arg(value_enum)]
    name: SchemaName,
}

/// Documents that greenloop writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum SchemaName {
    /// greenloop.findings.v1: `map check --format json`.
    Findings,
    /// greenloop.map_diff.v1: `map diff --format json`.
    MapDiff,
    /// greenloop.categorization.v1: `categorize`, and categorization.json of an iteration.
    Categorization,
    /// greenloop.plan.v1: `plan -o`.
    Plan,
    /// greenloop.receipt.v1: `apply --format json`, and receipt.json of an iteration.
    Receipt,
    /// greenloop.ticket.v1: `ticket list|show|ready --format json`.
    Ticket,
    /// greenloop.ledger_entry.v1: one line of ledger.jsonl.
    LedgerEntry,
    /// greenloop.campaign_status.v1: `campaign status|step --format json`.
    CampaignStatus,
    /// greenloop.toml, for editors.
    Config,
    /// agentic_evals.report.v2, as `run`, `merge` and `import` write it. Reports of others may lack fields of it.
    Report,
}

impl SchemaName {
    /// The JSON Schema of the document.
    fn schema(self) -> Schema {
        match self {
            Self::Findings => schema_for!(ui::findings::FindingsOutput),
            Self::MapDiff => schema_for!(super::map::MapDiffDocument<'_>),
            Self::Categorization => schema_for!(crate::categorize::CategorizationOutput<'_>),
            Self::Plan => schema_for!(crate::plan::Plan),
            Self::Receipt => schema_for!(crate::apply::ApplyReceipt),
            Self::Ticket => schema_for!(crate::tracker::TicketDocument<'_>),
            Self::LedgerEntry => schema_for!(crate::ledger::Entry),
            Self::Config => schema_for!(crate::config::Config),
            Self::CampaignStatus => schema_for!(crate::campaign::CampaignStatus),
            // What is read back here may lack fields that are always written.
            Self::Report => {
                let settings = SchemaSettings::draft2020_12().for_serialize();
                settings.into_generator().into_root_schema_for::<crate::report::OwnedReport>()
            }
        }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    ui::data(&ui::json_document(&args.name.schema()))?;
    Ok(exit_status::HELD)
}
