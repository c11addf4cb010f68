//! `greenloop config`: every setting, its value, and where it came from.

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::{env, exit_status};
use crate::config::{ConfigError, FILE_NAME, Loaded, Origin, load};
use crate::ui;

/// Arguments of `greenloop config`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A value comes from the first of these that has it: a flag (`--set KEY=VALUE`), the environment \
    (GREENLOOP_SECTION_KEY), greenloop.toml, the default.\nThe file is looked for upwards from the working folder. Every key is \
    described in docs/config.md, and for editors in `greenloop schema config`.\n\n\
    Example: greenloop config --set budget.iterations=4"
)]
pub struct Args {
    #[command(flatten)]
    overrides: Overrides,
}

/// Settings given on the command line.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Overrides {
    /// Set one value of the configuration for this command, for example `budget.iterations=4`. May be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, for example budget.iterations=4")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let loaded = loaded(context, &args.overrides)?;
    if context.format == Format::Json {
        ui::data(&ui::json_document(&serde_json::json!({
            "schema": "greenloop.config.v1",
            "file": file(context).map(|path| path.to_string_lossy().into_owned()),
            "settings": loaded.settings,
        })))?;
        return Ok(exit_status::HELD);
    }
    let mut table = ui::Table::new(&["setting", "value", "from"]);
    for setting in &loaded.settings {
        let from = match &setting.origin {
            Origin::Flag => "flag".to_owned(),
            Origin::Environment(variable) => variable.clone(),
            Origin::File(line) => format!("{FILE_NAME}:{line}"),
            Origin::Default => "default".to_owned(),
        };
        let value = if setting.value.is_null() { "-".to_owned() } else { setting.value.to_string() };
        table.row([setting.key.as_str(), &value, &from]);
    }
    ui::data(&table.render(ui::available_width()))?;
    Ok(exit_status::HELD)
}

/// The file, if there is one.
pub(super) fn file(context: &Context) -> Option<std::path::PathBuf> {
    Some(context.root.join(FILE_NAME)).filter(|path| path.exists())
}

/// The configuration of the project, with what the command line sets.
pub(super) fn loaded(context: &Context, overrides: &Overrides) -> Result<Loaded, CliError> {
    let path = context.root.join(FILE_NAME);
    let text = match std::fs::read(&path) {
        Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
            CliError::input("the configuration is not UTF-8").at(crate::diag::Place::file(path.to_string_lossy()))
        })?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(CliError::input(format!("{} cannot be read", path.display())).caused_by(&error));
        }
    };
    let shown = Context::shown(&path);
    let file = text.as_deref().map(|text| (shown.as_str(), text));
    Ok(load(file, &env::named(), &overrides.set)?)
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        let mut cli = Self::usage(format!("the configuration cannot be used: {}", error.message));
        cli.place = error.place;
        cli.hints.extend(error.hint);
        cli
    }
}
