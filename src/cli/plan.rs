//! `greenloop plan`.

use std::path::{Path, PathBuf};

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::tracker::TrackerArgs;
use super::{exit_status, inputs, remembered};
use crate::apply::journal;
use crate::campaign::{CampaignPaths, CampaignState, watch_open};
use crate::categorize::{Categorization, Watch, categorize};
use crate::ledger::{Ledger, write_atomic};
use crate::plan::{self, CampaignView, PlanFiles, PlanRefusal};
use crate::report::{Frozen, ReportSource};
use crate::ui;

/// Arguments of `greenloop plan`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A plan changes nothing. It is made from one complete report, the map, and what is in the tracker \
    now; `greenloop apply` refuses it once any of these has moved.\n\n\
    Example:\n  greenloop plan report.json --map category_maps/shop.json -o plan.json\n  greenloop apply plan.json"
)]
pub struct Args {
    /// The report of a full run (agentic_evals.report.v2 or v1).
    report: PathBuf,
    /// The category map.
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// Save the plan here, for `greenloop apply`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The integrated head that the report ran on. Only with it can tickets close: a full run on the integrated
    /// head is the one proof. Without it, tickets whose cases pass are only marked.
    #[arg(long, value_name = "SHA")]
    head: Option<String>,
    /// The journal that the plan belongs to.
    #[arg(long, value_name = "ID", default_value = "default")]
    campaign: String,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let paths =
        CampaignPaths::new(&context.state_dir(), &args.campaign).map_err(|error| CliError::usage(error.to_string()))?;
    let (map, map_bytes) = inputs::load_map(&args.map)?;
    let (remembered, known) = remembered::of_campaign(&paths)?;
    let choice = args.tracker.choice(context, remembered.as_ref(), Some(&map.repo))?;
    let snapshot = inputs::tracker_snapshot(context, &args.tracker, &choice, &known)?;
    let watch =
        Watch { campaign: Some(args.campaign.clone()), evaluated_sha: args.head.clone(), ..watch_open(&snapshot) };
    inputs::progress("reading and categorizing the report");
    let source = ReportSource::open(&args.report)?;
    let c = categorize(&source, &map, &watch)?;
    let view = CampaignView { tracker: choice, ..view(&paths, &c, args)? };
    let mut plan = plan::plan(&c, &map, &snapshot, &view).map_err(|refusal| refused(&refusal, &c))?;
    let named = |path: &Path| path.to_string_lossy().into_owned();
    plan.files = Some(PlanFiles { map: named(&args.map), report: named(&args.report) });
    let bytes = plan
        .to_bytes()
        .map_err(|error| CliError::new(exit_status::BUG, "the plan cannot be written").caused_by(&error))?;
    if let Some(path) = &args.output {
        // What the plan was made from is frozen with it: `apply` looks at these bytes again.
        Frozen::store_bytes(&context.state_dir(), &map_bytes)?;
        Frozen::store_bytes(&context.state_dir(), source.bytes())?.check(c.report.digest)?;
        write_atomic(path, &bytes)?;
    }
    match context.format {
        Format::Json => ui::data(&ui::harmless_json(&String::from_utf8_lossy(&bytes)))?,
        _ => ui::data(&ui::plan(&plan))?,
    }
    if let Some(path) = &args.output {
        ui::note(&format!("saved to {}; apply it with `greenloop apply {}`", path.display(), path.display()));
    } else if plan.changes > 0 && context.format == Format::Human {
        ui::note("nothing was changed; save the plan with -o plan.json and apply it with `greenloop apply plan.json`");
    }
    Ok(exit_status::HELD)
}

/// What the journal knows. A plan outside a started campaign has no history and iteration 0.
fn view(paths: &CampaignPaths, c: &Categorization, args: &Args) -> Result<CampaignView, CliError> {
    let mut view = CampaignView::new(paths.id());
    view.evaluated_sha = args.head.clone().or_else(|| c.report.repo_sha.clone());
    if let (Some(given), Some(report)) = (&args.head, &c.report.repo_sha)
        && given != report
    {
        return Err(CliError::input(format!("the report ran on {report}, but --head is {given}"))
            .hint("a report proves something only about the commit it ran on"));
    }
    view.on_integrated_head = args.head.is_some();
    if paths.ledger().is_file() {
        let ledger = Ledger::read_only(&paths.ledger())?;
        let state = CampaignState::fold(&ledger.entries)?;
        let made = journal::made(&ledger.entries);
        (view.known_tickets, view.wired) = (made.tickets, made.wired);
        view.attempt = journal::compensations(&ledger.entries);
        view.failed_on = state.failed_on();
        view.heads = state.history.iter().map(|(iteration, _, facts)| (facts.head.clone(), *iteration)).collect();
        if let Some(generation) = &state.generation {
            view.generation = generation.generation;
            view.iteration = state.next_iteration();
            view.reopen_cap = generation.limits.reopen_cap;
        }
    }
    Ok(view)
}

/// A refusal with everything that a person needs to mend it.
pub(super) fn refused(refusal: &PlanRefusal, c: &Categorization) -> CliError {
    let status = match refusal {
        PlanRefusal::AllBlocked(_)
        | PlanRefusal::Incomplete(_)
        | PlanRefusal::NotTotal { .. }
        | PlanRefusal::Cycle(_) => exit_status::NOT_HELD,
        PlanRefusal::SeveralLive { .. } | PlanRefusal::TrackerContradiction { .. } => exit_status::TRACKER,
    };
    let mut error = CliError::new(status, format!("no plan: {refusal}"));
    match refusal {
        PlanRefusal::Incomplete(_) => {
            error = error.hint("tickets come only from a complete run: run the whole suite and try again");
        }
        PlanRefusal::AllBlocked(_) => {
            error = error.hint("mend what blocks the suite from outside, then run it again");
        }
        PlanRefusal::NotTotal { .. } => {
            error.causes.extend(ui::unplaced(c, usize::MAX));
            error = error.hint("see all of them with `greenloop categorize`, and extend the category map");
        }
        PlanRefusal::TrackerContradiction { .. } => {
            error = error.hint("is this the right tracker file? A ticket that greenloop made is never deleted by it");
        }
        PlanRefusal::SeveralLive { .. } | PlanRefusal::Cycle(_) => {}
    }
    error.hint("nothing was changed")
}
