//! Checks what a renderer returned before anything believes it: paths, resources, messages.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::model::path::{PathError, RelPath};
use crate::model::renderer::{Answer, Content, Level, Message, ResourceInfo};
use crate::model::tree::SourceTree;

/// File names that no renderer may write, wherever they lie.
const RESERVED_FILES: [&str; 2] = ["skillset.lock", "skillset.yaml"];

/// An output whose path and resource are known to be good.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub(super) path: RelPath,
    pub(super) executable: bool,
    pub(super) content: Content,
}

/// Why an output is refused, as one sentence.
fn refusal(path: &str, directory: &RelPath) -> Result<RelPath, String> {
    let checked = RelPath::new(path).and_then(|path| path.check_portable().map(|()| path));
    let checked = checked.map_err(|error: PathError| error.to_string())?;
    if !checked.starts_with(directory) || checked == *directory {
        return Err(format!("it is not inside `{directory}`"));
    }
    if checked
        .components()
        .any(|part| part.eq_ignore_ascii_case(".skillset"))
    {
        return Err("`.skillset` holds source".to_owned());
    }
    if RESERVED_FILES
        .iter()
        .any(|name| checked.name().eq_ignore_ascii_case(name))
    {
        return Err(format!("`{}` belongs to the compiler", checked.name()));
    }
    Ok(checked)
}

/// Checks every output of one answer. `unit` and `renderer` are for the message.
pub(super) fn outputs(
    answer: &Answer,
    directory: &RelPath,
    resources: &[ResourceInfo],
    renderer: &str,
    unit: &str,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Checked> {
    let known: BTreeSet<&str> = resources
        .iter()
        .map(|resource| resource.id.as_str())
        .collect();
    let mut seen: BTreeMap<RelPath, usize> = BTreeMap::new();
    let mut checked = Vec::with_capacity(answer.outputs.len());
    for output in &answer.outputs {
        let path = match refusal(&output.path, directory) {
            Ok(path) => path,
            Err(why) => {
                findings.push(Diagnostic::new(
                    Code::RENDERER_PATH_REFUSED,
                    format!(
                        "renderer `{renderer}` wants to write `{}` for `{unit}`: {why}",
                        printable(&output.path)
                    ),
                ));
                continue;
            }
        };
        if let Content::Copy(id) = &output.content
            && !known.contains(id.as_str())
        {
            findings.push(Diagnostic::new(
                Code::RENDERER_BAD_OUTPUT,
                format!(
                    "renderer `{renderer}` copies a resource that `{unit}` does not have: `{}`",
                    printable(id)
                ),
            ));
            continue;
        }
        if seen.insert(path.clone(), checked.len()).is_some() {
            findings.push(Diagnostic::new(
                Code::RENDERER_BAD_OUTPUT,
                format!("renderer `{renderer}` returned `{path}` twice for `{unit}`"),
            ));
            continue;
        }
        checked.push(Checked {
            path,
            executable: output.executable,
            content: output.content.clone(),
        });
    }
    checked
}

/// A renderer's message as a finding. A code that is one of ours keeps it; any other is shown in the message.
pub(super) fn message(
    message: &Message,
    renderer: &str,
    source: &RelPath,
    tree: &SourceTree,
) -> Diagnostic {
    let severity = match message.level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Info => Severity::Info,
    };
    let text = printable(&message.message);
    let mut finding = match Code::find(&message.code) {
        Some(code) => Diagnostic::new(code, text),
        None => Diagnostic::new(
            Code::RENDERER_MESSAGE,
            format!("{text} (`{renderer}`: {})", printable(&message.code)),
        ),
    }
    .severity(severity);
    finding.span = message
        .span
        .as_ref()
        .and_then(|(path, start, end)| {
            let path = RelPath::new(path).ok()?;
            tree.file(&path)?;
            Some(Span::new(&path, *start..(*end).max(*start)))
        })
        .or_else(|| Some(Span::whole(source)));
    finding.help = message.help.as_deref().map(printable);
    finding
}

/// A renderer's text without control and bidirectional characters, at most 4 KiB.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}'))
        .take(4096)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_placement_are_refused() {
        let directory = RelPath::new(".claude/skills/tdd").unwrap();
        for path in [
            "../x",
            "/etc/passwd",
            ".claude/skills/other/SKILL.md",
            ".claude/skills/tdd",
            ".claude/skills/tddx/SKILL.md",
            ".claude/skills/tdd/../../../x",
            ".claude/skills/tdd/.git/hooks/pre-commit",
            ".claude/skills/tdd/GIT~1/config",
            ".claude/skills/tdd/.skillset/skills/x",
            ".claude/skills/tdd/skillset.lock",
            ".claude/skills/tdd/SkillSet.yaml",
            ".claude/skills/tdd/con.txt",
            ".claude/skills/tdd/a\\b",
            "C:/x",
        ] {
            assert!(refusal(path, &directory).is_err(), "{path}");
        }
        assert!(refusal(".claude/skills/tdd/SKILL.md", &directory).is_ok());
    }
}
