//! `new skill`, `new plugin`: scaffolds. The id must obey the naming rule; nothing that exists is changed.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use super::workspace::Fault;
use super::{Exit, Outcome};
use crate::model::id::{MAX_ID_CHARS, is_id};
use crate::model::path::RelPath;
use crate::model::source::Sources;
use crate::pipeline::plan::{self, Effect, EffectKind, Plan};
use crate::pipeline::{apply, load};

/// A file that a scaffold writes.
pub(super) struct Scaffold {
    pub(super) path: RelPath,
    pub(super) text: String,
}

/// What to scaffold.
#[derive(Debug, Clone)]
pub struct NewSkill<'a> {
    /// The leaf.
    pub id: &'a str,
    /// Below `_drafts/`.
    pub draft: bool,
    /// In this plugin.
    pub plugin: Option<&'a str>,
}

/// Plans or writes a new skill.
///
/// # Errors
/// When a file cannot be written.
pub fn skill(root: &Path, new: &NewSkill<'_>, yes: bool) -> Result<Outcome, Fault> {
    if let Some(refused) =
        refuse_id("new", new.id).or_else(|| new.plugin.and_then(|id| refuse_id("new", id)))
    {
        return Ok(refused);
    }
    let base = new.plugin.map_or_else(
        || ".skillset/skills".to_owned(),
        |plugin| format!(".skillset/plugins/{plugin}/skills"),
    );
    let drafts = if new.draft { "_drafts/" } else { "" };
    let title: Vec<String> = new.id.split('-').map(capital).collect();
    let text = format!(
        "---\nname: {}\ndescription: TODO say in one or two sentences what this skill does and when to use it.\n---\n\n# {}\n\nTODO write the instructions.\n",
        new.id,
        title.join(" ")
    );
    let Ok(path) = RelPath::new(&format!("{base}/{drafts}{}/SKILL.md", new.id)) else {
        return Ok(
            Outcome::new("new", json!({}), "the path is not valid".to_owned())
                .at_least(Exit::Usage),
        );
    };
    write(
        "new",
        root,
        vec![Scaffold { path, text }],
        yes,
        "skillset build",
    )
}

/// Plans or writes a new plugin.
///
/// # Errors
/// When a file cannot be written.
pub fn plugin(root: &Path, id: &str, yes: bool) -> Result<Outcome, Fault> {
    if let Some(refused) = refuse_id("new", id) {
        return Ok(refused);
    }
    let Ok(path) = RelPath::new(&format!(".skillset/plugins/{id}/skillset.yaml")) else {
        return Ok(
            Outcome::new("new", json!({}), "the path is not valid".to_owned())
                .at_least(Exit::Usage),
        );
    };
    let text =
        "skillset:\n  description: TODO say in one sentence what this plugin is for.\n".to_owned();
    write(
        "new",
        root,
        vec![Scaffold { path, text }],
        yes,
        &format!("skillset new skill <id> --in {id}"),
    )
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn refuse_id(verb: &'static str, id: &str) -> Option<Outcome> {
    (!is_id(id)).then(|| {
        let human = format!("`{id}` is not an id: 1 to {MAX_ID_CHARS} lowercase letters or digits, separated by single hyphens");
        Outcome::new(verb, json!({}), human).at_least(Exit::Usage)
    })
}

/// Shows or writes scaffold files. What is there already stays as it is.
pub(super) fn write(
    verb: &'static str,
    root: &Path,
    files: Vec<Scaffold>,
    yes: bool,
    next: &str,
) -> Result<Outcome, Fault> {
    let root = load::open_root(root)?;
    let asked: BTreeSet<RelPath> = files.iter().map(|file| file.path.clone()).collect();
    let there = load::list(&root, &asked, &BTreeSet::new())?.files;
    let (kept, fresh): (Vec<Scaffold>, Vec<Scaffold>) = files
        .into_iter()
        .partition(|file| there.contains_key(&file.path));
    let mut lines: Vec<String> = fresh
        .iter()
        .map(|file| format!("create {}", file.path))
        .collect();
    lines.extend(kept.iter().map(|file| format!("keep   {}", file.path)));
    let effects = fresh
        .iter()
        .map(|file| {
            Effect::write(
                EffectKind::Source,
                file.path.clone(),
                "scaffold",
                None,
                file.text.clone().into_bytes(),
            )
        })
        .collect();
    let plan = Plan::of(effects, &[verb.to_owned()], kept.len(), Vec::new());
    let mut data = json!({"plan": {"hash": plan.hash, "applied": yes, "effects": plan.effects}, "summary": plan.summary});
    if fresh.is_empty() {
        lines.push("nothing to do: everything is already there".to_owned());
        let exit = if verb == "init" {
            Exit::Ok
        } else {
            Exit::Refused
        };
        data["plan"]["applied"] = json!(false);
        return Ok(Outcome::new(verb, data, lines.join("\n")).at_least(exit));
    }
    if yes {
        match plan::confirm(plan, None) {
            Ok(confirmed) => {
                apply::apply(&root, confirmed)?;
            }
            Err(refused) => {
                return Ok(Outcome::new(verb, data, String::new())
                    .at_least(Exit::Refused)
                    .with_findings(vec![*refused], Sources::default()));
            }
        }
        lines.push(format!("done; next: {next}"));
    } else {
        lines.push("nothing written; add --yes to write".to_owned());
    }
    Ok(Outcome::new(verb, data, lines.join("\n")))
}
