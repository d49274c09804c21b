//! All sources in order, scanned, selected.

use std::path::{Path, PathBuf};

use super::installed_plugins;
use super::providers::{CUSTOM, NATIVE_DIR, PROVIDERS, Place, Provider, by_priority};
use super::scan::{ProviderRoot, Scanned, read_exactly, scan};
use super::select::{Duplicate, select};
use super::settings::Settings;
use super::skill::{Level, Skill, Skipped};
use super::walk::{Project, find_project, normalize, real_path};
use super::warning::{Warning, show};
use crate::diagnostic::{Code, nearest};

/// What an agent sees, and why not more.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Discovered {
    /// In the order in which they count; names are unique.
    pub skills: Vec<Skill>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// Files that were seen under a second path.
    pub duplicates: Vec<Duplicate>,
    /// What looks like a skill and is left out, by path.
    pub skipped: Vec<Skipped>,
    /// On, but a skill before it has the name; a plugin's can still be read as `skill://<plugin>:<name>`.
    #[serde(skip)]
    pub shadowed: Vec<Skill>,
}

/// Scans every provider that is on. Nothing is kept between calls, so a change on disk shows at the next one.
#[must_use]
pub fn discover(settings: &Settings) -> Discovered {
    if !settings.skills.enabled {
        return Discovered::default();
    }
    let mut scanned = Scanned::default();
    let roots = roots(settings, &mut scanned.warnings);
    for root in &roots {
        scanned.append(scan(root));
    }
    finish(scanned, settings)
}

/// The skills of one directory as if nothing else existed; `source` names it in the result.
#[must_use]
pub fn discover_dir(directory: &Path, source: &str) -> Discovered {
    let directory = normalize(directory);
    let mut scanned = scan(&ProviderRoot {
        provider: CUSTOM,
        level: Level::Custom,
        path: directory.clone(),
        needs_description: true,
        plugin: None,
    });
    let settings = Settings::new(directory.clone(), directory);
    let mut found = finish(std::mem::take(&mut scanned), &settings);
    for skill in found.skills.iter_mut().chain(&mut found.shadowed) {
        source.clone_into(&mut skill.provider);
    }
    found
}

fn finish(scanned: Scanned, settings: &Settings) -> Discovered {
    let Scanned {
        skills,
        mut warnings,
        mut skipped,
    } = scanned;
    let mut selected = select(skills, &settings.skills);
    warnings.append(&mut selected.warnings);
    let mut unique = Vec::with_capacity(warnings.len());
    for warning in warnings {
        // A directory that is named twice is reported once.
        if !unique.contains(&warning) {
            unique.push(warning);
        }
    }
    skipped.append(&mut selected.skipped);
    skipped.sort();
    skipped.dedup();
    Discovered {
        skills: selected.skills,
        warnings: unique,
        duplicates: selected.duplicates,
        skipped,
        shadowed: selected.shadowed,
    }
}

fn roots(settings: &Settings, warnings: &mut Vec<Warning>) -> Vec<ProviderRoot> {
    let ids: Vec<&str> = PROVIDERS.iter().map(|row| row.id).collect();
    for name in settings
        .disabled_providers
        .iter()
        .filter(|name| !ids.contains(&name.as_str()))
    {
        let near = nearest(name, ids.iter().copied())
            .map(|near| format!("; did you mean `{near}`"))
            .unwrap_or_default();
        let message = format!("`disabledProviders` names `{name}`, which is no provider{near}");
        warnings.push(Warning::new(Code::DISCOVERY_SETTING_INVALID, message));
    }
    let project = find_project(&settings.cwd, &settings.home);
    let mut roots = Vec::new();
    for provider in by_priority() {
        if !settings
            .disabled_providers
            .iter()
            .any(|name| name == provider.id)
        {
            for place in provider.places {
                add_place(&mut roots, provider, place, settings, &project, warnings);
            }
        }
    }
    for entry in &settings.skills.custom_directories {
        if let Some(path) = custom_directory(entry, settings, &project, warnings) {
            roots.push(ProviderRoot {
                provider: CUSTOM,
                level: Level::Custom,
                path,
                needs_description: true,
                plugin: None,
            });
        }
    }
    roots
}

fn add_place(
    roots: &mut Vec<ProviderRoot>,
    provider: &Provider,
    place: &Place,
    settings: &Settings,
    project: &Project,
    warnings: &mut Vec<Warning>,
) {
    let mut add = |level, path, plugin| {
        roots.push(ProviderRoot {
            provider: provider.id,
            level,
            path,
            needs_description: provider.needs_description,
            plugin,
        });
    };
    let folder = |folder: &str| folder.replace(NATIVE_DIR, &settings.native_dir);
    match place {
        Place::Home(folders) => {
            for name in *folders {
                add(Level::User, settings.home.join(folder(name)), None);
            }
        }
        Place::ClaudeHome(name) => add(Level::User, claude_home(settings).join(name), None),
        Place::ProjectUp(folders) => {
            for directory in &project.directories {
                for name in *folders {
                    add(Level::Project, directory.join(folder(name)), None);
                }
            }
        }
        Place::ProjectHere(name) => {
            if project.directories.first() == Some(&project.cwd) {
                add(Level::Project, project.cwd.join(name), None);
            }
        }
        Place::InstalledPlugins => {
            for plugin in installed(settings, project, warnings) {
                add(
                    plugin.level,
                    plugin.path.join("skills"),
                    Some(plugin.plugin),
                );
            }
        }
    }
}

fn claude_home(settings: &Settings) -> PathBuf {
    settings.claude_config_dir.as_ref().map_or_else(
        || settings.home.join(".claude"),
        |directory| settings.cwd.join(directory),
    )
}

fn installed(
    settings: &Settings,
    project: &Project,
    warnings: &mut Vec<Warning>,
) -> Vec<installed_plugins::Installed> {
    let file = claude_home(settings).join("plugins/installed_plugins.json");
    let mut warn = |message: String| {
        warnings.push(
            Warning::new(
                Code::DISCOVERY_PLUGIN_INVALID,
                format!("{message} (`{}`)", show(&file)),
            )
            .at(&file),
        );
    };
    if file.symlink_metadata().is_err() {
        return Vec::new();
    }
    let text = match read_exactly(&real_path(&file)).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            warn("the plugin registry is not UTF-8".to_owned());
            return Vec::new();
        }
        Err(error) => {
            warn(format!("the plugin registry cannot be read: {error}"));
            return Vec::new();
        }
    };
    let cwd_real = real_path(&project.cwd);
    let is_ours = |path: &Path| cwd_real.starts_with(real_path(path));
    let (mut installed, problems) = installed_plugins::parse(&text, &is_ours);
    problems.into_iter().for_each(&mut warn);
    installed.retain(|plugin| {
        let there = plugin.path.metadata().is_ok_and(|m| m.is_dir());
        if !there {
            warn(format!(
                "plugin `{}`: `installPath` `{}` is not a directory",
                plugin.id,
                show(&plugin.path)
            ));
        }
        there
    });
    installed
}

fn custom_directory(
    entry: &str,
    settings: &Settings,
    project: &Project,
    warnings: &mut Vec<Warning>,
) -> Option<PathBuf> {
    if entry == "~" {
        return Some(settings.home.clone());
    }
    if let Some(rest) = entry.strip_prefix("~/") {
        return Some(normalize(&settings.home.join(rest)));
    }
    if entry.starts_with('~') || entry.trim().is_empty() || entry.contains('\0') {
        let message = format!(
            "the custom directory `{}` is not understood; write an absolute path or one that begins with `~/`",
            entry.escape_debug()
        );
        warnings.push(Warning::new(Code::DISCOVERY_SETTING_INVALID, message));
        return None;
    }
    Some(normalize(&project.cwd.join(entry)))
}
