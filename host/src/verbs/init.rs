//! `init`: makes a folder a workspace.

use crate::model::path::RelPath;

use super::Outcome;
use super::new::{self, Scaffold};
use super::workspace::Fault;

/// What a first `skillset.yaml` holds.
const CONFIG: &str = "\
# Compile with `skillset build`; `skillset lookup targets` shows what can be listed here.
skillset:
  schema: 1
compile:
  unsupportedDestination: error
";

/// Keeps git from merging what a build writes.
const ATTRIBUTES: &str = "\
**/skillset.lock -merge
/.skillset/changes/*.jsonl merge=union
";

/// Plans or writes a fresh workspace at `root`. Files that are there stay as they are.
///
/// # Errors
/// When a file cannot be written.
pub fn run(root: &std::path::Path, yes: bool) -> Result<Outcome, Fault> {
    let file = |path: &str, text: &str| {
        Some(Scaffold {
            path: RelPath::new(path).ok()?,
            text: text.to_owned(),
        })
    };
    let files = [
        file("skillset.yaml", CONFIG),
        file(".skillset/skills/.gitkeep", ""),
        file(".gitattributes", ATTRIBUTES),
    ];
    new::write(
        "init",
        root,
        files.into_iter().flatten().collect(),
        yes,
        "skillset new skill <id>",
    )
}
