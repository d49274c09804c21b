//! Which Claude plugins are installed and count for this project. Pure: the text of the registry comes in.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::skill::Level;

/// One place where a plugin is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installed {
    pub(super) id: String,
    /// The id without the marketplace.
    pub(super) plugin: String,
    pub(super) level: Level,
    pub(super) path: PathBuf,
}

/// Reads the registry. `is_ours` tells whether a project path is the working directory or above it.
/// A project's install shadows the user's.
pub(super) fn parse(text: &str, is_ours: &dyn Fn(&Path) -> bool) -> (Vec<Installed>, Vec<String>) {
    let registry =
        match serde_json::from_str::<Value>(text.strip_prefix('\u{feff}').unwrap_or(text)) {
            Ok(Value::Object(registry)) => registry,
            Ok(_) => {
                return (
                    Vec::new(),
                    vec!["the plugin registry is not an object".to_owned()],
                );
            }
            Err(error) => {
                return (
                    Vec::new(),
                    vec![format!("the plugin registry is not JSON: {error}")],
                );
            }
        };
    if !registry.get("version").is_some_and(Value::is_number) {
        return (
            Vec::new(),
            vec!["the plugin registry has no `version`".to_owned()],
        );
    }
    let Some(Value::Object(plugins)) = registry.get("plugins") else {
        return (
            Vec::new(),
            vec!["the plugin registry has no `plugins` object".to_owned()],
        );
    };
    let mut installed = Vec::new();
    let mut problems = Vec::new();
    for (id, value) in plugins {
        let entries = match value {
            Value::Array(entries) => entries.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut found = Vec::new();
        for entry in entries {
            match parse_entry(id, entry, is_ours) {
                Ok(Some(entry)) => found.push(entry),
                Ok(None) => {}
                Err(problem) => problems.push(format!("plugin `{id}`: {problem}")),
            }
        }
        let in_project = found.iter().any(|entry| entry.level == Level::Project);
        found.retain(|entry| !in_project || entry.level == Level::Project);
        installed.extend(found);
    }
    installed.sort_by_key(|entry| entry.level != Level::Project);
    (installed, problems)
}

/// `None`: it is well-formed and does not count here.
fn parse_entry(
    id: &str,
    entry: &Value,
    is_ours: &dyn Fn(&Path) -> bool,
) -> Result<Option<Installed>, String> {
    let (plugin, _) = id
        .rsplit_once('@')
        .filter(|(plugin, _)| !plugin.is_empty())
        .ok_or("the key is not `name@marketplace`")?;
    let Value::Object(entry) = entry else {
        return Err("the entry is not an object".to_owned());
    };
    if entry.get("enabled") == Some(&Value::Bool(false)) {
        return Ok(None);
    }
    let path = text(entry, "installPath")
        .ok_or("`installPath` is missing")
        .map(PathBuf::from)?;
    if !path.is_absolute() {
        return Err(format!(
            "`installPath` is not absolute: `{}`",
            path.display()
        ));
    }
    let level = match entry.get("scope").and_then(Value::as_str).unwrap_or("user") {
        "user" | "managed" => Level::User,
        "project" | "local" => {
            let project = text(entry, "projectPath").ok_or("`projectPath` is missing")?;
            if !is_ours(Path::new(project)) {
                return Ok(None);
            }
            Level::Project
        }
        other => return Err(format!("the scope `{other}` is not known")),
    };
    Ok(Some(Installed {
        id: id.to_owned(),
        plugin: plugin.to_owned(),
        level,
        path,
    }))
}

fn text<'a>(entry: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    entry
        .get(key)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, usize) {
        let (installed, problems) = parse(text, &|path| path == Path::new("/p"));
        let show =
            |e: &Installed| format!("{} {} {}", e.plugin, e.level.as_str(), e.path.display());
        (installed.iter().map(show).collect(), problems.len())
    }

    #[test]
    fn both_shapes_are_read() {
        for text in [
            r#"{"version": 2, "plugins": {"p@m": [{"scope": "user", "installPath": "/i"}]}}"#,
            r#"{"version": 1, "plugins": {"p@m": {"installPath": "/i"}}}"#,
        ] {
            assert_eq!(read(text), (vec!["p user /i".to_owned()], 0), "{text}");
        }
        assert_eq!(
            read(r#"{"version": 2, "plugins": {"@scope/x@m": [{"installPath": "/i"}]}}"#).0,
            ["@scope/x user /i"]
        );
    }

    #[test]
    fn a_bad_file_or_entry_is_one_problem_and_hides_no_other() {
        for text in [
            "{",
            "[]",
            r#"{"plugins": {}}"#,
            r#"{"version": 2, "plugins": []}"#,
        ] {
            assert_eq!(read(text), (vec![], 1), "{text}");
        }
        let (installed, problems) = read(
            r#"{"version": 2, "plugins": {"none": [{"installPath": "/a"}], "@m": [{"installPath": "/a"}],
            "a@m": null, "b@m": [null, {"scope": "user"}, {"installPath": "rel"}, {"installPath": "/b"}],
            "c@m": [], "d@m": [{"installPath": "/d", "enabled": false}]}}"#,
        );
        assert_eq!(installed, ["b user /b"]);
        assert_eq!(problems, 6);
    }

    #[test]
    fn project_entries_count_under_their_project_and_shadow_the_users() {
        let (installed, problems) = read(
            r#"{"version": 2, "plugins": {
            "u@m": [{"installPath": "/u"}],
            "p@m": [{"installPath": "/pu"}, {"scope": "project", "projectPath": "/p", "installPath": "/pp"}],
            "l@m": [{"scope": "local", "projectPath": "/p", "installPath": "/l"}],
            "o@m": [{"installPath": "/ou"}, {"scope": "project", "projectPath": "/other", "installPath": "/op"}],
            "x@m": [{"installPath": "/xu"}, {"scope": "project", "projectPath": "/p", "installPath": "/xp", "enabled": false}]}}"#,
        );
        assert_eq!(
            installed,
            [
                "p project /pp",
                "l project /l",
                "u user /u",
                "o user /ou",
                "x user /xu"
            ]
        );
        assert_eq!(problems, 0);
    }
}
