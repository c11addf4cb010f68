//! Which cases: all, some by name, a shard, or the close slice of a category.

use std::path::{Path, PathBuf};

use crate::cli::error::CliError;
use crate::cli::inputs;
use crate::diag::Place;
use crate::model::CategoryId;
use crate::runner::manifest::Manifest;
use crate::runner::regressions::read_retained;
use crate::runner::select::Selection;
use crate::runner::shard::Shard;
use crate::runner::slice::{close_slice, whole};

/// Arguments that choose cases.
#[derive(Debug, clap::Args)]
pub(super) struct SelectionArgs {
    /// Run only this case. May be given several times. The report says that it is partial.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["shard", "only_category"])]
    case: Vec<String>,
    /// Run only shard I of N: every Nth case. `greenloop merge` joins the reports.
    #[arg(long, value_name = "I/N", conflicts_with = "only_category")]
    shard: Option<Shard>,
    /// Run only the close slice of this category: its own cases, and all that guard what it touches.
    #[arg(long, value_name = "ID", requires = "map")]
    only_category: Option<String>,
    /// The category map of --only-category.
    #[arg(long, value_name = "FILE", requires = "only_category")]
    map: Option<PathBuf>,
    /// A frozen categorization (`categorize --format json`): its cases of the category belong to the slice. Without it, the
    /// slice of a category with signatures is the whole fixture.
    #[arg(long, value_name = "FILE", requires = "only_category")]
    categorization: Option<PathBuf>,
    /// Retained regressions (regressions.v1) whose cases belong to the slice if they touch the category.
    #[arg(long, value_name = "FILE", requires = "only_category")]
    regressions: Vec<PathBuf>,
}

impl SelectionArgs {
    pub(super) fn select(&self, manifest: &Manifest) -> Result<Selection, CliError> {
        if !self.case.is_empty() {
            return Selection::named(manifest, &self.case).map_err(|unknown| {
                let error = CliError::usage(unknown.to_string());
                match unknown.nearest {
                    Some(nearest) => error.hint(format!("did you mean {nearest:?}?")),
                    None => error.hint("names are compared as they stand in the fixture, without patterns"),
                }
            });
        }
        if let Some(shard) = self.shard {
            return Ok(Selection::shard(manifest, shard));
        }
        match (&self.only_category, &self.map) {
            (Some(category), Some(map)) => self.slice(manifest, category, map),
            _ => Ok(Selection::whole(manifest)),
        }
    }

    fn slice(&self, manifest: &Manifest, category: &str, map: &Path) -> Result<Selection, CliError> {
        let (map, _) = inputs::load_map(map)?;
        let id: CategoryId = category.parse().map_err(|error: crate::model::CategoryIdError| {
            CliError::usage(format!("{category:?} is no category id")).caused_by(&error)
        })?;
        let Some(entry) = map.categories.iter().find(|entry| entry.id == id) else {
            let known = map.categories.iter().map(|entry| entry.id.as_str());
            let nearest = known.max_by(|a, b| strsim::jaro(category, a).total_cmp(&strsim::jaro(category, b)));
            let mut error = CliError::usage(format!("the map has no category {category}"));
            error.hints.extend(nearest.map(|id| format!("did you mean {id}?")));
            return Err(error);
        };
        let assigned = match &self.categorization {
            Some(path) => assigned(path, category)?,
            None if entry.signatures.is_empty() => Vec::new(),
            None => {
                let because = "the category has signatures, and no --categorization says which cases they took";
                return Ok(Selection::slice(manifest, category.to_owned(), whole(manifest, because.to_owned())));
            }
        };
        let mut retained = Vec::new();
        for path in &self.regressions {
            let bytes = inputs::read_file(path, "the regressions")?;
            retained.extend(read_retained(&bytes).map_err(|error| {
                let place = Place { pointer: Some(error.pointer.clone()), ..Place::file(path.to_string_lossy()) };
                CliError::input(format!("the regressions cannot be used: {}", error.message)).at(place)
            })?);
        }
        let assigned: Vec<&str> = assigned.iter().map(String::as_str).collect();
        let slice = close_slice(manifest, &map, &id, &assigned, &retained);
        Ok(Selection::slice(manifest, category.to_owned(), slice))
    }
}

/// The cases of a category in a frozen categorization.
fn assigned(path: &Path, category: &str) -> Result<Vec<String>, CliError> {
    let bytes = inputs::read_file(path, "the categorization")?;
    let bad = |why: &str| {
        CliError::input(format!("the categorization cannot be used: {why}")).at(Place::file(path.to_string_lossy()))
    };
    let root: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| bad(&error.to_string()))?;
    let Some(by_category) = root.get("cases_by_category").and_then(serde_json::Value::as_object) else {
        return Err(bad("it has no cases_by_category; make it with `greenloop categorize --format json`"));
    };
    let texts = by_category.get(category).and_then(serde_json::Value::as_array).into_iter().flatten();
    Ok(texts.filter_map(|case| case.as_str().map(str::to_owned)).collect())
}
