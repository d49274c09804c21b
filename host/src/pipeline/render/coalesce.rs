//! The one coalescing rule (`spec/02`): several renderers may share a file when what they say agrees.
//!
//! A path has one owner: the renderer whose placement owns documents there, else the first writer (standards first).
//! Documents merge when bodies are equal and every shared key has an equal value; JSON merges member by member;
//! anything else must be equal. Keys of a standard's own set are written by the standard alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::id::Sha256;
use crate::model::item::{Bytes, Item, OutputFile, Party, Provenance, Role};
use crate::model::path::RelPath;
use crate::model::renderer::{Content, Description, Layout, Object, TargetKind};

use super::response::Checked;
use super::{Part, Unit, emit};

/// Joins the parts of one unit into items.
pub(super) fn coalesce(
    unit: &Unit,
    provenance: &Arc<Provenance>,
    parts: &[Part<'_>],
    strict_keys: bool,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Item> {
    let mut by_path: BTreeMap<&RelPath, Vec<(usize, &Checked)>> = BTreeMap::new();
    for (index, part) in parts.iter().enumerate() {
        for output in &part.outputs {
            by_path
                .entry(&output.path)
                .or_default()
                .push((index, output));
        }
    }
    let mut items: BTreeMap<(RelPath, usize), Item> = BTreeMap::new();
    for (path, writers) in by_path {
        let owner = owner(parts, &writers);
        let merge = Merge {
            unit,
            parts,
            path,
            strict_keys,
        };
        let Some(content) = merge.merge(owner, &writers, findings) else {
            continue;
        };
        let executable = writers.iter().any(|(_, output)| output.executable);
        let Some(file) = output_file(unit, &parts[owner], path, executable, &content) else {
            continue;
        };
        let part = &parts[owner];
        let key = (part.place.directory.clone(), owner);
        let item = items
            .entry(key)
            .or_insert_with(|| item(unit, provenance, part));
        item.files.push(file);
        for (index, _) in &writers {
            let party = party(&parts[*index]);
            if !item.consumers.contains(&party) {
                item.consumers.push(party);
            }
        }
    }
    items
        .into_values()
        .map(|mut item| {
            item.consumers.sort();
            item
        })
        .collect()
}

fn party(part: &Part<'_>) -> Party {
    Party {
        kind: part.renderer.description().kind,
        id: part.target.clone(),
    }
}

fn item(unit: &Unit, provenance: &Arc<Provenance>, part: &Part<'_>) -> Item {
    let owner = party(part);
    let natural = if owner.kind == TargetKind::Standard {
        Role::Standard
    } else {
        Role::Bundle
    };
    let description = part.renderer.description();
    Item {
        selector: unit.selector.clone(),
        root: part.place.root.clone(),
        directory: part.place.directory.clone(),
        effective_name: part.place.info.effective_name.clone(),
        role: part.place.role.unwrap_or(natural),
        owner,
        consumers: Vec::new(),
        renderer: format!("{}@{}", description.id, description.version),
        files: Vec::new(),
        provenance: Arc::clone(provenance),
        realizations: part.answer.realizations.clone(),
        selection_rule: part.place.selection_rule.clone(),
    }
}

/// The writer that owns documents in this placement, else the first standard, else the first writer.
fn owner(parts: &[Part<'_>], writers: &[(usize, &Checked)]) -> usize {
    let owns = |index: usize| {
        let info = &parts[index].place.info;
        parts[index]
            .renderer
            .description()
            .claim(info.unit, info.layout)
            .is_some_and(|claim| claim.owns_documents)
    };
    let standard = |index: usize| parts[index].renderer.description().kind == TargetKind::Standard;
    let indices = || writers.iter().map(|(index, _)| *index);
    indices()
        .find(|i| owns(*i))
        .or_else(|| indices().find(|i| standard(*i)))
        .or_else(|| indices().next())
        .unwrap_or(0)
}

struct Merge<'a> {
    unit: &'a Unit,
    parts: &'a [Part<'a>],
    path: &'a RelPath,
    strict_keys: bool,
}

impl Merge<'_> {
    fn merge(
        &self,
        owner: usize,
        writers: &[(usize, &Checked)],
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Content> {
        let own = writers.iter().find(|(index, _)| *index == owner)?.1;
        let mut content = own.content.clone();
        for (index, output) in writers.iter().filter(|(index, _)| *index != owner) {
            let agreed = match (&mut content, &output.content) {
                (
                    Content::Document { frontmatter, body },
                    Content::Document {
                        frontmatter: theirs,
                        body: their_body,
                    },
                ) => {
                    if body == their_body {
                        self.keys(frontmatter, theirs, owner, *index, findings)
                    } else {
                        Err("body".to_owned())
                    }
                }
                (Content::Json(ours), Content::Json(theirs)) => merge_json(ours, theirs, ""),
                (Content::Copy(ours), Content::Copy(theirs))
                    if self.same_resource(owner, ours, *index, theirs) =>
                {
                    Ok(())
                }
                (ours, theirs) if ours == theirs => Ok(()),
                _ => Err("bytes".to_owned()),
            };
            if let Err(place) = agreed {
                findings.push(self.conflict(owner, *index, &place));
                return None;
            }
        }
        Some(content)
    }

    fn same_resource(&self, ours: usize, our_id: &str, theirs: usize, their_id: &str) -> bool {
        let hash = |part: usize, id: &str| {
            self.parts[part]
                .resources
                .iter()
                .find(|r| r.id == id)
                .map(|r| r.hash)
        };
        our_id == their_id || hash(ours, our_id) == hash(theirs, their_id)
    }

    /// Adds a consumer's keys to the owner's document.
    fn keys(
        &self,
        ours: &mut Object,
        theirs: &Object,
        owner: usize,
        consumer: usize,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<(), String> {
        let description = self.parts[owner].renderer.description();
        let info = &self.parts[owner].place.info;
        let open = description
            .claim(info.unit, info.layout)
            .is_some_and(|claim| claim.extra_keys_open);
        for (key, value) in theirs {
            if ours.get(key) == Some(value) {
                continue;
            }
            if is_standard_key(description, key) {
                findings.push(self.key_finding(
                    Code::PACKAGE_KEY_HELD_BACK,
                    consumer,
                    key,
                    "belongs to the standard",
                ));
            } else if !open {
                findings.push(self.key_finding(
                    Code::PACKAGE_KEY_HELD_BACK,
                    consumer,
                    key,
                    "is not a key of the standard that owns the file",
                ));
            } else if self.strict_keys {
                findings.push(self.key_finding(
                    Code::PACKAGE_KEY_HELD_BACK,
                    consumer,
                    key,
                    "is held back by `plugins.package_keys: strict`",
                ));
            } else if ours.contains_key(key) {
                return Err(key.clone());
            } else {
                findings.push(self.key_finding(
                    Code::PACKAGE_KEY_ADDED,
                    consumer,
                    key,
                    "is outside the standard",
                ));
                ours.insert(key.clone(), value.clone());
            }
        }
        Ok(())
    }

    fn key_finding(&self, code: Code, consumer: usize, key: &str, why: &str) -> Diagnostic {
        Diagnostic::new(
            code,
            format!(
                "`{}`: key `{key}` in `{}` {why}",
                self.parts[consumer].target, self.path
            ),
        )
        .at(Span::whole(&self.unit.provenance.source))
    }

    fn conflict(&self, owner: usize, other: usize, place: &str) -> Diagnostic {
        let (ours, theirs) = (&self.parts[owner], &self.parts[other]);
        let shared = ours.place.info.layout == Layout::Package;
        let mend = if shared {
            format!(
                "give one a bundle of its own: `{}: {{plugins: {{layout: bundle}}}}`",
                theirs.target
            )
        } else {
            format!(
                "give one another output root: `{}: {{skills: {{path: <folder>}}}}`",
                theirs.target
            )
        };
        Diagnostic::new(
            Code::OUTPUT_CONFLICT,
            format!(
                "renderers `{}` and `{}` disagree about `{}` ({place})",
                ours.target, theirs.target, self.path
            ),
        )
        .at(Span::whole(&self.unit.provenance.source))
        .help(mend)
    }
}

/// Only a standard has keys that it alone may write.
fn is_standard_key(owner: &Description, key: &str) -> bool {
    owner.kind == TargetKind::Standard && owner.knows_key(key)
}

fn merge_json(ours: &mut Json, theirs: &Json, place: &str) -> Result<(), String> {
    match (ours, theirs) {
        (Json::Object(ours), Json::Object(theirs)) => {
            for (key, value) in theirs {
                let inner = if place.is_empty() {
                    key.clone()
                } else {
                    format!("{place}.{key}")
                };
                match ours.get_mut(key) {
                    Some(existing) => merge_json(existing, value, &inner)?,
                    None => {
                        ours.insert(key.clone(), value.clone());
                    }
                }
            }
            Ok(())
        }
        (ours, theirs) if ours == theirs => Ok(()),
        _ => Err(place.to_owned()),
    }
}

fn output_file(
    unit: &Unit,
    part: &Part<'_>,
    path: &RelPath,
    executable: bool,
    content: &Content,
) -> Option<OutputFile> {
    let text = match content {
        Content::Document { frontmatter, body } => emit::document(frontmatter, body),
        Content::Json(value) if path.name().ends_with(".yaml") || path.name().ends_with(".yml") => {
            emit::yaml(value)
        }
        Content::Json(value) => emit::json(value),
        Content::Text(text) => text.clone(),
        Content::Copy(id) => return copied(unit, part, path, id),
    };
    let bytes: Arc<[u8]> = Arc::from(text.into_bytes());
    Some(OutputFile {
        path: path.clone(),
        executable,
        size: bytes.len() as u64,
        hash: Sha256::of(&bytes),
        bytes: Bytes::Owned(bytes),
    })
}

fn copied(unit: &Unit, part: &Part<'_>, path: &RelPath, id: &str) -> Option<OutputFile> {
    let resource = part.resources.iter().find(|resource| resource.id == id)?;
    let bytes = match unit.generated.get(id) {
        Some(bytes) => Bytes::Owned(Arc::clone(bytes)),
        None => Bytes::CopyOf(RelPath::new(id).ok()?),
    };
    Some(OutputFile {
        path: path.clone(),
        executable: resource.executable,
        size: resource.size,
        hash: resource.hash,
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_merges_members_and_names_the_place_of_a_conflict() {
        let mut ours = json!({"name": "x", "extensions": {"a": 1}});
        assert_eq!(
            merge_json(&mut ours, &json!({"extensions": {"b": {"c": 2}}}), ""),
            Ok(())
        );
        assert_eq!(
            ours,
            json!({"name": "x", "extensions": {"a": 1, "b": {"c": 2}}})
        );
        assert_eq!(
            merge_json(&mut ours, &json!({"extensions": {"b": {"c": 3}}}), ""),
            Err("extensions.b.c".to_owned())
        );
    }
}
