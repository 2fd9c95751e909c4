//! `--write-allow`: accepts today's findings in `packhouse.toml`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Context;
use registry::report::FindingView;
use registry::settings::settings_file;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::complaint::Complaint;
use crate::configuration::Conditions;
use crate::judging::{JudgedFile, SettingsKey, settings_file_shown};
use crate::output::counted;

/// Adds an entry for every finding that counts to the settings file that counts for it.
pub fn write(judged: &[JudgedFile], reason: Option<&str>, conditions: &Conditions) -> anyhow::Result<()> {
    let mut files: BTreeMap<SettingsKey, Vec<(&JudgedFile, &FindingView)>> = BTreeMap::new();
    let mut refused = 0;
    for file in judged {
        let Some(key) = file.settings_key() else {
            return Err(Complaint::new("findings of standard input cannot be accepted")
                .help("give it a name with `--stdin-filename`")
                .into());
        };
        let no_allow = &conditions.settings(&file.settings).policy.no_allow;
        for finding in file.evaluated.report.findings.iter().filter(|finding| !finding.acknowledged) {
            if no_allow.contains(&finding.rule) {
                refused += 1;
            } else {
                files.entry(key.clone()).or_default().push((file, finding));
            }
        }
    }
    let dated = format!("accepted on {} when linting began", conditions.today);
    for ((root, base), findings) in &files {
        let path = root.join(settings_file(base));
        let shown = settings_file_shown(root, base);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        let text = extended(&text, &shown, findings, reason.unwrap_or(&dated), conditions)?;
        fs::write(&path, text).with_context(|| format!("cannot write {shown}"))?;
        super::say(&format!("{shown}: {} accepted", counted(findings.len(), "finding")));
    }
    if files.is_empty() && refused == 0 {
        super::say("nothing to accept");
    }
    if refused > 0 {
        let message = format!("{refused} findings are of rules that nobody may accept");
        return Err(Complaint::new(message).help("`packhouse lint` shows them; repair them").into());
    }
    Ok(())
}

/// The text of the settings file with the new entries behind everything else.
fn extended(
    text: &str,
    shown: &str,
    findings: &[(&JudgedFile, &FindingView)],
    reason: &str,
    conditions: &Conditions,
) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse().with_context(|| format!("cannot read {shown}"))?;
    let entries = document.entry("allow").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(entries) = entries.as_array_of_tables_mut() else {
        return Err(Complaint::new(format!("{shown}: `allow` is an inline list"))
            .help("write its entries as `[[allow]]` tables")
            .into());
    };
    for (file, finding) in findings {
        let relative = conditions.settings(&file.settings).relative(&file.file.path).to_owned();
        let mut entry = Table::new();
        entry["rule"] = value(&finding.rule);
        entry["fingerprint"] = value(&finding.fingerprint);
        entry["path"] = value(relative);
        entry["place"] = value(&finding.place);
        entry["reason"] = value(reason);
        entries.push(entry);
    }
    Ok(document.to_string())
}
