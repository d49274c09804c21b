//! Plugins: their companions.

use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::config::PluginConfig;
use crate::model::id::{MAX_ID_CHARS, PluginId};
use crate::model::path::RelPath;
use crate::model::selector::Selector;
use crate::model::unit::{BrokenUnit, PluginUnit, UnitFile, Units};
use crate::pipeline::load::Loaded;

/// Folders of a plugin that are source for the compiler and never travel as they are.
const SOURCE_FOLDERS: [&str; 3] = ["skills", "shared", "partials"];

/// The plugin with its companions.
pub(super) fn plugin(
    loaded: &Loaded,
    config: &PluginConfig,
    findings: &mut Vec<Diagnostic>,
) -> PluginUnit {
    let mut files = Vec::new();
    if let Some(name) = &config.metadata.name
        && name.value != config.id.as_str()
    {
        findings.push(
            Diagnostic::new(
                Code::PLUGIN_NAME_MISMATCH,
                format!(
                    "`skillset.name` is `{}`, but the directory is `{}`",
                    name.value, config.id
                ),
            )
            .at(name.span.clone())
            .help(format!(
                "write `name: {}`, or rename the directory",
                config.id
            )),
        );
    }
    for (source, file) in loaded.tree.files_below(&config.directory) {
        let Some(path) = source.strip_prefix(&config.directory) else {
            continue;
        };
        let first = path.components().next().unwrap_or_default();
        if SOURCE_FOLDERS.contains(&first) || path.as_str() == "skillset.yaml" {
            continue;
        }
        if path.as_str() == "hooks.json" {
            findings.push(
                Diagnostic::new(
                    Code::PLUGIN_ROOT_HOOKS,
                    "`hooks.json` lies at the plugin's root, where no client reads it",
                )
                .at(Span::whole(source))
                .help("move it to `hooks/hooks.json`"),
            );
        }
        files.push(UnitFile {
            path,
            source: source.clone(),
            file: file.clone(),
        });
    }
    PluginUnit {
        id: config.id.clone(),
        config: config.clone(),
        files,
    }
}

/// Directories below `plugins/` that have no usable configuration.
pub(super) fn without_configuration(loaded: &Loaded, found: &mut Found<Units>) {
    let Ok(base) = RelPath::new(".skillset/plugins") else {
        return;
    };
    for directory in loaded
        .tree
        .directories_below(&base)
        .filter(|d| d.parent().as_ref() == Some(&base))
    {
        let Some(id) = PluginId::new(directory.name()) else {
            found.findings.push(
                Diagnostic::new(
                    Code::PLUGIN_ID_INVALID,
                    format!("`{}` is not a plugin id: 1 to {MAX_ID_CHARS} lowercase letters or digits, separated by single hyphens", directory.name()),
                )
                .at(Span::whole(directory))
                .help("rename the directory"),
            );
            found.value.broken.push(BrokenUnit {
                selector: None,
                directory: directory.clone(),
            });
            continue;
        };
        if loaded.plugins.contains_key(&id) {
            continue;
        }
        let Ok(path) = directory.join("skillset.yaml") else {
            continue;
        };
        if loaded.tree.file(&path).is_none() && !loaded.broken.contains(&path) {
            found.findings.push(
                Diagnostic::new(
                    Code::PLUGIN_MANIFEST_MISSING,
                    format!("the plugin `{id}` has no `skillset.yaml`"),
                )
                .at(Span::whole(directory))
                .help(format!(
                    "run `skillset new plugin {id} --yes`, or move the directory away"
                )),
            );
        }
        found.value.broken.push(BrokenUnit {
            selector: Some(Selector::Plugin(id)),
            directory: directory.clone(),
        });
    }
}
