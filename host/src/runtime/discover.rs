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
    let mut seen = std::collections::BTreeSet::new();
    let mut unique = Vec::with_capacity(warnings.len());
    for warning in warnings {
        // A directory that is named twice is reported once.
        if seen.insert(warning.message.clone()) {
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare trees on disk")]
mod tests {
    use super::*;
    use crate::runtime::{ReadError, find_context_files, invoke, read};

    /// A repository `r`, a home `h`, and files with their texts.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Settings) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files.iter().chain(&[("r/.git", "x"), ("h/.keep", "")]) {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let settings = Settings::new(root.path().join("h"), root.path().join("r"));
        (root, settings)
    }

    fn sources(found: &Discovered) -> Vec<String> {
        let show = |s: &Skill| format!("{}@{}", s.name, s.source());
        found.skills.iter().map(show).collect()
    }

    const X: &str = "---\ndescription: a text\n---\nbody\n";

    #[test]
    fn the_first_of_a_name_wins_and_a_source_that_is_off_shadows_nothing() {
        let (_root, mut settings) = tree(&[
            ("r/.xcsh/skills/x/SKILL.md", X),
            ("r/.claude/skills/x/SKILL.md", X),
            ("h/.claude/skills/x/SKILL.md", X),
            ("r/.agents/skills/x/SKILL.md", X),
            ("r/.agents/skills/group/y/SKILL.md", X),
        ]);
        let found = discover(&settings);
        assert_eq!(sources(&found), ["x@native:project"]);
        assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
        assert_eq!(found.skipped.len(), 1, "{:?}", found.skipped);
        settings.skills.enable_pi_project = false;
        assert_eq!(sources(&discover(&settings)), ["x@claude:user"]);
        settings.skills.enabled = false;
        assert_eq!(discover(&settings), Discovered::default());
    }

    #[test]
    fn native_and_custom_skills_need_a_description() {
        let (_root, mut settings) = tree(&[
            ("r/.xcsh/skills/x/SKILL.md", "---\nname: x\n---\n"),
            ("r/.agents/skills/y/SKILL.md", "---\nname: y\n---\n"),
            ("r/d/n/SKILL.md", "---\nname: n\n---\n"),
        ]);
        settings.skills.custom_directories = vec!["d".to_owned(), "missing".to_owned()];
        let found = discover(&settings);
        assert_eq!(sources(&found), ["y@agents:project"]);
        assert_eq!(found.skipped.len(), 2);
        assert_eq!(found.warnings[0].code, Code::DISCOVERY_CUSTOM_MISSING);
    }

    #[test]
    fn reading_stays_in_the_skill_and_never_searches() {
        let (root, settings) = tree(&[
            ("r/.agents/skills/pdf/SKILL.md", X),
            ("r/.agents/skills/pdf/references/t.md", "t"),
            ("secret", "s"),
        ]);
        let base = root.path().join("r/.agents/skills/pdf");
        std::os::unix::fs::symlink(root.path().join("secret"), base.join("out")).unwrap();
        std::os::unix::fs::symlink("../../../../secret", base.join("up")).unwrap();
        std::os::unix::fs::symlink(base.join("references/t.md"), base.join("in")).unwrap();
        let found = discover(&settings);
        assert_eq!(read(&found, "skill://pdf").unwrap().text, X);
        let file = read(&found, "skill://pdf/references/t.md").unwrap();
        assert_eq!(
            (file.text.as_str(), file.content_type),
            ("t", "text/markdown")
        );
        assert!(matches!(
            read(&found, "skill://pdf/t.md"),
            Err(ReadError::NotFound { .. })
        ));
        assert!(matches!(
            read(&found, "skill://Pdf"),
            Err(ReadError::UnknownSkill { .. })
        ));
        for url in ["skill://pdf/out", "skill://pdf/up", "skill://pdf/..%2fx"] {
            assert!(read(&found, url).unwrap_err().is_refusal(), "{url}");
        }
        assert!(matches!(
            read(&found, "skill://pdf/references"),
            Err(ReadError::Directory { .. })
        ));
        std::fs::remove_file(base.join("SKILL.md")).unwrap();
        std::os::unix::fs::symlink(root.path().join("secret"), base.join("SKILL.md")).unwrap();
        assert!(read(&found, "skill://pdf").unwrap_err().is_refusal());
    }

    #[test]
    fn a_command_becomes_a_message_and_context_is_nearest_first() {
        let (root, settings) = tree(&[
            ("r/.agents/skills/pdf/SKILL.md", X),
            ("r/XCSH.md", "project"),
            ("h/.xcsh/agent/XCSH.md", "user"),
        ]);
        let found = discover(&settings);
        let message = invoke(&found, &settings, "/skill:pdf\t a  b ")
            .unwrap()
            .message;
        let path = root.path().join("r/.agents/skills/pdf/SKILL.md");
        assert_eq!(
            message,
            format!("body\n\n---\n\nSkill: {}\nUser: a  b", path.display())
        );
        assert!(invoke(&found, &settings, "/skill:nope").is_err());
        let depths: Vec<_> = find_context_files(&settings)
            .files
            .iter()
            .map(|f| f.depth)
            .collect();
        assert_eq!(depths, [Some(0), None]);
    }

    #[test]
    fn hostile_entries_are_reported_and_hide_nothing() {
        let (root, settings) = tree(&[
            ("r/.agents/skills/good/SKILL.md", X),
            (
                "r/.agents/skills/bad/SKILL.md",
                "---\nname: ../../etc\n---\n",
            ),
            ("r/.agents/skills/empty/SKILL.md", ""),
            ("r/.agents/skills/case/skill.md", X),
            ("r/.agents/skills/dir/SKILL.md/x", ""),
            (
                "r/.agents/skills/off/SKILL.md",
                "---\nenabled: false\n---\n",
            ),
        ]);
        let skills = root.path().join("r/.agents/skills");
        std::os::unix::fs::symlink("loop", skills.join("loop")).unwrap();
        std::os::unix::fs::symlink("nowhere", skills.join("dangling")).unwrap();
        std::fs::create_dir(skills.join("fifo")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            skills.join("fifo/SKILL.md"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let found = discover(&settings);
        assert_eq!(sources(&found), ["good@agents:project"]);
        assert_eq!(found.skipped.len(), 8, "{:?}", found.skipped);
        assert_eq!(found.warnings.len(), 5, "{:?}", found.warnings);
        assert_eq!(discover(&settings), found);
    }

    #[test]
    fn a_shadowed_plugin_skill_is_still_read_by_its_alias() {
        let (root, settings) = tree(&[
            ("r/.claude/skills/x/SKILL.md", X),
            ("i/skills/x/SKILL.md", "---\nname: x\n---\nplugin\n"),
        ]);
        let registry = root.path().join("h/.claude/plugins/installed_plugins.json");
        std::fs::create_dir_all(registry.parent().unwrap()).unwrap();
        let path = root.path().join("i").display().to_string();
        let entry = serde_json::json!({"version": 2, "plugins": {"p@m": [{"installPath": path}]}});
        std::fs::write(registry, entry.to_string()).unwrap();
        let mut settings = settings;
        let found = discover(&settings);
        assert_eq!(sources(&found), ["x@claude:project"]);
        assert!(
            read(&found, "skill://p:x")
                .unwrap()
                .text
                .ends_with("plugin\n")
        );
        settings.skills.enable_claude_project = false;
        assert_eq!(sources(&discover(&settings)), ["x@claude-plugins:user"]);
        settings.claude_config_dir = Some(root.path().join("elsewhere"));
        assert_eq!(discover(&settings).skills, []);
    }

    #[test]
    fn filters_and_real_paths_are_settled_before_names() {
        let (root, mut settings) = tree(&[
            ("r/.agents/skills/foo-a/SKILL.md", X),
            ("r/.agents/skills/foo-b/SKILL.md", X),
            ("r/.agents/skills/bar/SKILL.md", X),
        ]);
        std::fs::create_dir_all(root.path().join("r/.codex")).unwrap();
        std::os::unix::fs::symlink("../.agents/skills", root.path().join("r/.codex/skills"))
            .unwrap();
        settings.skills.include_skills = vec!["foo-*".to_owned()];
        settings.skills.ignored_skills = vec!["*-b".to_owned()];
        let found = discover(&settings);
        assert_eq!(sources(&found), ["foo-a@agents:project"]);
        assert_eq!((found.duplicates.len(), found.warnings.len()), (1, 0));
    }
}
