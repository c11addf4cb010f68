//! `greenloop campaign start`.

use std::path::PathBuf;

use crate::campaign::{CampaignPaths, Limits, StartInput, start};
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::tracker::TrackerArgs;
use crate::cli::{exit_status, inputs, remembered};
use crate::model::display_safe;
use crate::ui;

/// Arguments of `greenloop campaign start`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is frozen here decides what the campaign accepts: a report of another fixture, or a changed map, \
    is a new generation. The limits are frozen too; they are the rules by which the campaign stops.\n\n\
    Example: greenloop campaign start --map category_maps/shop.json --id shop-1"
)]
pub(in crate::cli) struct Args {
    /// The category map to freeze.
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// The fixture manifest to freeze (its SHA-256). Default: whatever the first report says.
    #[arg(long, value_name = "FILE")]
    fixture: Option<PathBuf>,
    /// Id of the campaign. Default: the name of the map's repository.
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Begin a new generation of a campaign that is there, with these inputs and limits.
    #[arg(long)]
    new_generation: bool,
    /// Stop with BUDGET after this many iterations.
    #[arg(long, value_name = "N", default_value_t = Limits::default().iterations, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,
    /// Stop with BUDGET after this many seconds; 0 = no limit.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().wall_s)]
    max_wall_s: u64,
    /// Stop with NO_PROGRESS after this many integrations without a new best.
    #[arg(long, value_name = "K", default_value_t = Limits::default().no_progress, value_parser = clap::value_parser!(u32).range(1..))]
    no_progress: u32,
    /// Stop with STALLED after this many further runs on the same head.
    #[arg(long, value_name = "M", default_value_t = Limits::default().stalled, value_parser = clap::value_parser!(u32).range(1..))]
    stalled: u32,
    /// Stop with REOPEN_CAP when a ticket would be reopened more often.
    #[arg(long, value_name = "N", default_value_t = Limits::default().reopen_cap)]
    reopen_cap: u32,
    /// Stop with NONDETERMINISM when more than this share of the required cases is flaky, in per mille.
    #[arg(long, value_name = "PERMILLE", default_value_t = Limits::default().flaky_max_permille)]
    flaky_max_permille: u32,
    /// Tickets that one step may create at most. Default: `tracker.create_cap`, which is 25.
    #[arg(long, value_name = "N")]
    create_cap: Option<usize>,
    /// Tickets that one step may touch at most. Default: `tracker.circuit_breaker`, which is 100.
    #[arg(long, value_name = "N")]
    circuit_breaker: Option<usize>,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let (map, map_bytes) = inputs::load_map(&args.map)?;
    let fixture_sha256 = args.fixture.as_deref().map(inputs::sha256_of).transpose()?;
    let id = args.id.clone().unwrap_or_else(|| map.repo.slug().to_owned());
    let paths = CampaignPaths::new(&context.state_dir(), &id).map_err(|error| CliError::usage(error.to_string()))?;
    let (remembered, known) = remembered::of_campaign(&paths)?;
    let choice = args.tracker.choice(context, remembered.as_ref(), Some(&map.repo))?;
    let (create_cap, circuit_breaker) = args.tracker.limits(context)?;
    if !choice.is_embedded() {
        // What cannot be read is said now, and not after the first run of the suite.
        inputs::tracker_snapshot(context, &args.tracker, &choice, &known)?;
    }
    let started = start(&StartInput {
        paths: &paths,
        map_bytes: &map_bytes,
        map: &map,
        map_file: &args.map.to_string_lossy(),
        fixture_sha256: fixture_sha256.clone(),
        limits: Limits {
            iterations: args.max_iterations,
            no_progress: args.no_progress,
            reopen_cap: args.reopen_cap,
            wall_s: args.max_wall_s,
            stalled: args.stalled,
            flaky_max_permille: args.flaky_max_permille,
            create_cap: args.create_cap.unwrap_or(create_cap),
            circuit_breaker: args.circuit_breaker.unwrap_or(circuit_breaker),
        },
        tracker: choice.clone(),
        new_generation: args.new_generation,
        at: &inputs::now(),
    })?;
    inputs::say_recovery(&started.recovery);
    // The tracker's file exists from here on, so that its absence later means that it was lost.
    args.tracker.open_to_write(context, &choice, true)?;
    if context.format == Format::Json {
        ui::data(&ui::json_document(&serde_json::json!({
            "schema": "greenloop.campaign_started.v1",
            "campaign": id,
            "generation": started.generation,
            "changed": started.changed,
            "map_digest": map.digest,
            "map_version": map.map_version,
            "fixture_sha256": fixture_sha256,
        })))?;
        return Ok(exit_status::HELD);
    }
    let verb = if started.changed { "started" } else { "was started before; nothing changed:" };
    ui::data(&format!(
        "campaign {id} {verb} (generation {})\n  map      {} version {}, {} categories\n  fixture  {}\n  folder   {}\n",
        started.generation,
        display_safe(&args.map.to_string_lossy()),
        display_safe(&map.map_version),
        map.categories.len(),
        fixture_sha256.as_deref().unwrap_or("as the first report says"),
        Context::shown(&paths.dir())
    ))?;
    ui::note(&format!("next: run the whole suite, then `greenloop campaign step REPORT --campaign {id}`"));
    Ok(exit_status::HELD)
}
