//! The fixture: read, checked, and admitted by the gate, or refused with everything that is wrong with it.

use std::path::{Path, PathBuf};

use crate::cli::args::Format;
use crate::cli::error::CliError;
use crate::cli::exit_status;
use crate::diag::{Diagnostic, Place, Severity};
use crate::runner::gate::{GateVerdict, gate};
use crate::runner::manifest::{Loaded, Manifest, parse_in};
use crate::runner::{gate_findings, rules};
use crate::ui::{self, findings};

/// A fixture's file.
#[derive(Debug)]
pub(in crate::cli) struct Fixture {
    /// As the user named it, for people.
    pub(in crate::cli) name: String,
    /// The same as the system knows it: a path need not be text.
    path: PathBuf,
    pub(in crate::cli) bytes: Vec<u8>,
    /// The folder that it lies in: the working folder of its trials.
    pub(in crate::cli) folder: PathBuf,
}

impl Fixture {
    pub(in crate::cli) fn read(path: &Path) -> Result<Self, CliError> {
        let unreadable = |error: std::io::Error| {
            CliError::input("the fixture cannot be read").at(Place::file(path.to_string_lossy())).caused_by(&error)
        };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let real = path.canonicalize().map_err(unreadable)?;
        let folder = real.parent().unwrap_or_else(|| Path::new("/")).to_owned();
        Ok(Self { name: path.to_string_lossy().into_owned(), path: path.to_owned(), bytes, folder })
    }

    /// True if the file is another one now than when it was read, or cannot be read any more.
    pub(super) fn has_changed(&self) -> bool {
        std::fs::read(&self.path).ok().as_deref() != Some(&self.bytes[..])
    }

    fn load(&self) -> Loaded {
        parse_in(&self.name, self.folder.to_str(), &self.bytes)
    }

    /// The manifest, or all findings as the error.
    pub(in crate::cli) fn manifest(&self) -> Result<Manifest, CliError> {
        let loaded = self.load();
        if let Some(manifest) = loaded.manifest {
            return Ok(manifest);
        }
        ui::note(self.human(&loaded.findings).trim_end());
        Err(CliError::new(exit_status::NOT_HELD, "the fixture is not valid").at(Place::file(&self.name)))
    }

    /// Checks only. Shows every finding as data.
    pub(super) fn check(&self, trials: impl Fn(&Manifest) -> u32, format: Format) -> Result<u8, CliError> {
        let loaded = self.load();
        let mut all = loaded.findings;
        let mut said = String::new();
        if let Some(manifest) = &loaded.manifest {
            let verdict = gate(manifest, trials(manifest));
            all.extend(gate_findings(&self.name, &self.bytes, &verdict));
            said = verdict.exemption().map(|text| format!("{text}\n")).unwrap_or_default();
        }
        ui::data(&self.rendered(&all, format))?;
        if format == Format::Human {
            ui::data(&format!("{said}{}: {}\n", self.name, findings::count_line(&all)))?;
        }
        let failed = all.iter().any(|finding| finding.severity == Severity::Error);
        Ok(if failed { exit_status::NOT_HELD } else { exit_status::HELD })
    }

    /// The manifest and the gate's verdict, if it may run; else all findings were shown. `anyway`: the gate's word is
    /// kept for the report, and does not refuse.
    pub(super) fn admit(
        &self,
        trials: impl Fn(&Manifest) -> u32,
        anyway: bool,
        format: Format,
    ) -> Result<Option<(Manifest, GateVerdict)>, CliError> {
        let loaded = self.load();
        let mut all = loaded.findings;
        let Some(manifest) = loaded.manifest else {
            self.refuse(&all, format, "the fixture is not valid; nothing was run")?;
            return Ok(None);
        };
        let verdict = gate(&manifest, trials(&manifest));
        if !verdict.is_open() && !anyway {
            all.extend(gate_findings(&self.name, &self.bytes, &verdict));
            self.refuse(
                &all,
                format,
                "the gate refuses the fixture: it could pass and prove nothing; nothing was run",
            )?;
            return Ok(None);
        }
        if !all.is_empty() {
            ui::note(self.human(&all).trim_end());
        }
        if let Some(exemption) = verdict.exemption() {
            ui::note(&format!("{} {exemption}", ui::yellow("note:")));
        }
        Ok(Some((manifest, verdict)))
    }

    fn refuse(&self, all: &[Diagnostic], format: Format, why: &str) -> Result<(), CliError> {
        if format == Format::Human {
            ui::note(self.human(all).trim_end());
        } else {
            ui::data(&self.rendered(all, format))?;
        }
        ui::note(&format!("{} {why} ({})", ui::red("refused:"), findings::count_line(all)));
        Ok(())
    }

    fn rendered(&self, all: &[Diagnostic], format: Format) -> String {
        match format {
            Format::Human => self.human(all),
            Format::Json => findings::json(all),
            Format::Github => findings::github(all),
            Format::Sarif => findings::sarif(all, &rule_helps()),
        }
    }

    fn human(&self, all: &[Diagnostic]) -> String {
        let end = std::str::from_utf8(&self.bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let text = std::str::from_utf8(&self.bytes[..end]).unwrap_or_default();
        findings::human(all, &[findings::Source { file: &self.name, text }])
    }
}

/// The rules of fixtures as SARIF tells them.
pub(in crate::cli) fn rule_helps() -> Vec<findings::RuleHelp> {
    let help = |rule: &rules::RuleText| findings::RuleHelp {
        code: rule.code,
        severity: rule.severity,
        what: rule.what,
        why: rule.why,
        mend: rule.mend,
    };
    rules::ALL.iter().map(help).collect()
}
