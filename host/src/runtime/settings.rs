//! What switches discovery, as plain data, and the door that reads it from configuration files.
#![expect(
    clippy::disallowed_methods,
    reason = "this door reads the configuration of discovery"
)]

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::walk;
use super::warning::{Warning, show};
use crate::diagnostic::{Code, nearest};

/// Everything that discovery depends on besides the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The user's home directory, absolute.
    pub home: PathBuf,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// `CLAUDE_CONFIG_DIR`, which stands for `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// `skills`
    pub skills: SkillSettings,
    /// `disabledProviders`
    pub disabled_providers: Vec<String>,
    /// `native.dir`
    pub native_dir: String,
    /// `contextFiles`: the first name that a directory has counts.
    pub context_files: Vec<String>,
}

impl Settings {
    /// The defaults: everything is on.
    #[must_use]
    pub fn new(home: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            home: home.into(),
            cwd: cwd.into(),
            claude_config_dir: None,
            skills: SkillSettings::default(),
            disabled_providers: Vec::new(),
            native_dir: ".xcsh".to_owned(),
            context_files: vec!["XCSH.md".to_owned()],
        }
    }
}

/// `skills`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSettings {
    /// False: nothing is discovered at all.
    pub enabled: bool,
    /// Whether `/skill:<name>` exists.
    pub enable_skill_commands: bool,
    /// Searched after all providers.
    pub custom_directories: Vec<String>,
    /// Globs of names that are left out.
    pub ignored_skills: Vec<String>,
    /// Globs of names that are let in; empty lets all in.
    pub include_skills: Vec<String>,
    /// Codex skills in the user's home.
    pub enable_codex_user: bool,
    /// Claude skills in the user's home.
    pub enable_claude_user: bool,
    /// Claude skills in the project.
    pub enable_claude_project: bool,
    /// Native skills in the user's home.
    pub enable_pi_user: bool,
    /// Native skills in the project.
    pub enable_pi_project: bool,
}

impl Default for SkillSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            enable_skill_commands: true,
            custom_directories: Vec::new(),
            ignored_skills: Vec::new(),
            include_skills: Vec::new(),
            enable_codex_user: true,
            enable_claude_user: true,
            enable_claude_project: true,
            enable_pi_user: true,
            enable_pi_project: true,
        }
    }
}

/// Where settings are looked for. The command line fills it from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The user's home directory.
    pub home: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// `CLAUDE_CONFIG_DIR`
    pub claude_config_dir: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`; without it `~/.config`.
    pub xdg_config_home: Option<PathBuf>,
    /// `--settings`: stands for the user's `config.yaml`.
    pub settings_file: Option<PathBuf>,
}

/// Options of the command line; they count most. Lists that are empty change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `skills.enabled`
    pub enabled: Option<bool>,
    /// `skills.enableSkillCommands`
    pub enable_skill_commands: Option<bool>,
    /// `skills.enableCodexUser`
    pub enable_codex_user: Option<bool>,
    /// `skills.enableClaudeUser`
    pub enable_claude_user: Option<bool>,
    /// `skills.enableClaudeProject`
    pub enable_claude_project: Option<bool>,
    /// `skills.enablePiUser`
    pub enable_pi_user: Option<bool>,
    /// `skills.enablePiProject`
    pub enable_pi_project: Option<bool>,
    /// `skills.customDirectories`
    pub custom_directories: Vec<String>,
    /// `skills.ignoredSkills`
    pub ignored_skills: Vec<String>,
    /// `skills.includeSkills`
    pub include_skills: Vec<String>,
    /// `disabledProviders`
    pub disabled_providers: Vec<String>,
    /// `native.dir`
    pub native_dir: Option<String>,
    /// `contextFiles`
    pub context_files: Vec<String>,
}

/// Reads the user's settings, then the project's, then applies the options. What is not understood is a warning.
#[must_use]
pub fn load_settings(places: &Places, overrides: &Overrides) -> (Settings, Vec<Warning>) {
    let mut settings = Settings::new(&places.home, walk::normalize(&places.cwd));
    settings
        .claude_config_dir
        .clone_from(&places.claude_config_dir);
    let mut warnings = Vec::new();
    let config_home = places
        .xdg_config_home
        .clone()
        .filter(|path| path.is_absolute())
        .unwrap_or_else(|| places.home.join(".config"));
    let user_file = config_home.join("skillset/config.yaml");
    match &places.settings_file {
        Some(file) => {
            let file = settings.cwd.join(file);
            if let Some(layer) = read_layer(&file, true, &mut warnings) {
                apply(
                    &mut settings,
                    &unwrap_discovery(layer),
                    &file,
                    &mut warnings,
                );
            }
        }
        None => {
            if let Some(layer) = read_layer(&user_file, false, &mut warnings) {
                apply(
                    &mut settings,
                    &unwrap_discovery(layer),
                    &user_file,
                    &mut warnings,
                );
            }
        }
    }
    let project = walk::find_project(&settings.cwd, &places.home);
    for directory in &project.directories {
        let file = directory.join("skillset.yaml");
        if let Some(mut layer) = read_layer(&file, false, &mut warnings) {
            if let Some(Value::Object(discovery)) = layer.remove("discovery") {
                apply(&mut settings, &discovery, &file, &mut warnings);
            }
            break;
        }
    }
    settings.override_with(overrides);
    (settings, warnings)
}

impl Settings {
    fn override_with(&mut self, overrides: &Overrides) {
        let skills = &mut self.skills;
        for (value, to) in [
            (overrides.enabled, &mut skills.enabled),
            (
                overrides.enable_skill_commands,
                &mut skills.enable_skill_commands,
            ),
            (overrides.enable_codex_user, &mut skills.enable_codex_user),
            (overrides.enable_claude_user, &mut skills.enable_claude_user),
            (
                overrides.enable_claude_project,
                &mut skills.enable_claude_project,
            ),
            (overrides.enable_pi_user, &mut skills.enable_pi_user),
            (overrides.enable_pi_project, &mut skills.enable_pi_project),
        ] {
            if let Some(value) = value {
                *to = value;
            }
        }
        for (value, to) in [
            (
                &overrides.custom_directories,
                &mut skills.custom_directories,
            ),
            (&overrides.ignored_skills, &mut skills.ignored_skills),
            (&overrides.include_skills, &mut skills.include_skills),
            (&overrides.disabled_providers, &mut self.disabled_providers),
            (&overrides.context_files, &mut self.context_files),
        ] {
            if !value.is_empty() {
                to.clone_from(value);
            }
        }
        if let Some(directory) = &overrides.native_dir {
            self.native_dir.clone_from(directory);
        }
    }
}

fn read_layer(
    file: &Path,
    required: bool,
    warnings: &mut Vec<Warning>,
) -> Option<Map<String, Value>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => return None,
        Err(error) => {
            warnings.push(setting_warning(
                file,
                format!("the settings cannot be read: {error}"),
            ));
            return None;
        }
    };
    match serde_yaml::from_str::<Value>(text.strip_prefix('\u{feff}').unwrap_or(&text)) {
        Ok(Value::Object(layer)) => Some(layer),
        Ok(Value::Null) => None,
        Ok(_) => {
            warnings.push(setting_warning(
                file,
                "the settings are not a mapping".to_owned(),
            ));
            None
        }
        Err(error) => {
            warnings.push(setting_warning(
                file,
                format!("the settings are not YAML: {error}"),
            ));
            None
        }
    }
}

/// A settings file may be written as it stands in `skillset.yaml`.
fn unwrap_discovery(mut layer: Map<String, Value>) -> Map<String, Value> {
    match layer.remove("discovery") {
        Some(Value::Object(discovery)) => discovery,
        _ => layer,
    }
}

fn setting_warning(file: &Path, message: String) -> Warning {
    Warning::new(
        Code::DISCOVERY_SETTING_INVALID,
        format!("{}: {message}", show(file)),
    )
    .at(file)
}

fn apply(
    settings: &mut Settings,
    layer: &Map<String, Value>,
    file: &Path,
    warnings: &mut Vec<Warning>,
) {
    let mut wrong = |key: &str, expected: &str| {
        warnings.push(setting_warning(file, format!("`{key}` must be {expected}")));
    };
    for (key, value) in layer {
        match (key.as_str(), value) {
            ("skills", Value::Object(skills)) => {
                for (key, value) in skills {
                    apply_skill_key(&mut settings.skills, key, value, &mut wrong);
                }
            }
            ("disabledProviders", _) => {
                set_list(&mut settings.disabled_providers, key, value, &mut wrong);
            }
            ("contextFiles", _) => {
                let mut names = Vec::new();
                set_list(&mut names, key, value, &mut wrong);
                if names.iter().any(|name| !is_plain_name(name)) {
                    wrong(key, "a list of file names");
                } else if !names.is_empty() {
                    settings.context_files = names;
                }
            }
            ("native", Value::Object(native)) => match native.get("dir") {
                Some(Value::String(directory)) if is_plain_name(directory) => {
                    settings.native_dir.clone_from(directory);
                }
                _ => wrong("native.dir", "a directory's name"),
            },
            ("skills" | "native", _) => wrong(key, "a mapping"),
            _ => {
                let known = ["skills", "disabledProviders", "contextFiles", "native"];
                wrong(key, &suggestion(key, &known));
            }
        }
    }
}

/// One component, so that no setting can point a provider at another tree.
fn is_plain_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0'])
}

fn suggestion(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(near) => format!("`{near}`, if that is meant"),
        None => format!("one of `{}`", known.join("`, `")),
    }
}

fn apply_skill_key(
    skills: &mut SkillSettings,
    key: &str,
    value: &Value,
    wrong: &mut impl FnMut(&str, &str),
) {
    let switch = match key {
        "enabled" => &mut skills.enabled,
        "enableSkillCommands" => &mut skills.enable_skill_commands,
        "enableCodexUser" => &mut skills.enable_codex_user,
        "enableClaudeUser" => &mut skills.enable_claude_user,
        "enableClaudeProject" => &mut skills.enable_claude_project,
        "enablePiUser" => &mut skills.enable_pi_user,
        "enablePiProject" => &mut skills.enable_pi_project,
        "customDirectories" => return set_list(&mut skills.custom_directories, key, value, wrong),
        "ignoredSkills" => return set_list(&mut skills.ignored_skills, key, value, wrong),
        "includeSkills" => return set_list(&mut skills.include_skills, key, value, wrong),
        _ => {
            let known = [
                "enabled",
                "enableSkillCommands",
                "customDirectories",
                "ignoredSkills",
                "includeSkills",
                "enableCodexUser",
                "enableClaudeUser",
                "enableClaudeProject",
                "enablePiUser",
                "enablePiProject",
            ];
            return wrong(key, &suggestion(key, &known));
        }
    };
    match value {
        Value::Bool(value) => *switch = *value,
        _ => wrong(key, "true or false"),
    }
}

fn set_list(list: &mut Vec<String>, key: &str, value: &Value, wrong: &mut impl FnMut(&str, &str)) {
    let Value::Array(items) = value else {
        return wrong(key, "a list of text");
    };
    list.clear();
    for item in items {
        match item {
            Value::String(text) => list.push(text.clone()),
            _ => wrong(key, "a list of text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(root: &Path) -> Places {
        Places {
            home: root.join("h"),
            cwd: root.join("p"),
            claude_config_dir: None,
            xdg_config_home: None,
            settings_file: None,
        }
    }

    #[test]
    fn layers_follow_each_other_and_lists_are_replaced() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir_all(root.join("h/.config/skillset")).unwrap();
        std::fs::create_dir_all(root.join("p/.git")).unwrap();
        std::fs::write(
            root.join("h/.config/skillset/config.yaml"),
            "skills: {enableCodexUser: false, ignoredSkills: [a], includeSkills: [b]}\nnative: {dir: .our}\n",
        )
        .unwrap();
        std::fs::write(
            root.join("p/skillset.yaml"),
            "compile: {}\ndiscovery: {skills: {ignoredSkills: [c], enablePiUser: false}, contextFiles: [A.md]}\n",
        )
        .unwrap();
        let overrides = Overrides {
            enable_pi_user: Some(true),
            include_skills: vec!["d".to_owned()],
            ..Overrides::default()
        };
        let (settings, warnings) = load_settings(&places(root), &overrides);
        assert_eq!(warnings, []);
        assert!(!settings.skills.enable_codex_user);
        assert!(settings.skills.enable_pi_user);
        assert_eq!(settings.skills.ignored_skills, ["c"]);
        assert_eq!(settings.skills.include_skills, ["d"]);
        assert_eq!(settings.native_dir, ".our");
        assert_eq!(settings.context_files, ["A.md"]);
    }

    #[test]
    fn what_is_not_understood_is_one_warning_each() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir_all(root.join("p/.git")).unwrap();
        std::fs::write(
            root.join("s.yaml"),
            "skills: {enabled: 'no', ignoreSkills: [a], ignoredSkills: [1, x]}\nnative: {dir: ../x}\n",
        )
        .unwrap();
        let mut places = places(root);
        places.settings_file = Some(root.join("s.yaml"));
        let (settings, warnings) = load_settings(&places, &Overrides::default());
        assert!(settings.skills.enabled);
        assert_eq!(settings.skills.ignored_skills, ["x"]);
        assert_eq!(settings.native_dir, ".xcsh");
        assert_eq!(warnings.len(), 4, "{warnings:?}");
        places.settings_file = Some(root.join("missing.yaml"));
        assert_eq!(load_settings(&places, &Overrides::default()).1.len(), 1);
    }
}
