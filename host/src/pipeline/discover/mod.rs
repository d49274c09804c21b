//! Finds the source units: skills in groups, drafts, plugins.
//! In: what was loaded. Out: units with settled identity. Depends on: load's output type, model, diagnostic.
//! Never: reads a file, looks at a target.

// reading order
mod skills;
mod duplicates;
mod plugins;

use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::path::RelPath;
use crate::model::selector::{Container, Selector};
use crate::model::unit::{BrokenUnit, Units};

use super::load::Loaded;

/// Finds every unit. Broken ones are listed, so that they never hide the others.
#[must_use]
pub fn discover(loaded: &Loaded) -> Found<Units> {
    let mut found = Found::<Units>::default();
    let mut containers = vec![(Container::Workspace, workspace_skills())];
    for config in loaded.plugins.values() {
        if let Ok(directory) = config.directory.join("skills") {
            containers.push((Container::Plugin(config.id.clone()), directory));
        }
        if loaded.broken.contains(&config.path) {
            let selector = Some(Selector::Plugin(config.id.clone()));
            found.value.broken.push(BrokenUnit {
                selector,
                directory: config.directory.clone(),
            });
        } else {
            found
                .value
                .plugins
                .push(plugins::plugin(loaded, config, &mut found.findings));
        }
    }
    plugins::without_configuration(loaded, &mut found);
    for (container, base) in containers {
        skills::skills(loaded, &container, &base, &mut found);
    }
    duplicates::refuse(&mut found);
    found
        .value
        .skills
        .sort_by(|a, b| a.selector.cmp(&b.selector));
    found.value.broken.sort();
    found.value.broken.dedup();
    let units = &found.value;
    if units.skills.is_empty()
        && units.plugins.is_empty()
        && units.broken.is_empty()
        && loaded.broken.is_empty()
    {
        found.findings.push(
            Diagnostic::new(
                Code::WORKSPACE_EMPTY,
                "there is no skill and no plugin under `.skillset/`",
            )
            .at(Span::whole(&loaded.config.path))
            .help("run `skillset new skill <id>`, or write `.skillset/skills/<id>/SKILL.md`"),
        );
    }
    found
}

fn workspace_skills() -> RelPath {
    RelPath::new(".skillset/skills").expect("a constant path is valid")
}
