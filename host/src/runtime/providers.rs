//! Who offers skills, as a table of data. Adding a provider is adding a row.

use super::settings::SkillSettings;
use super::skill::Level;

/// A row of the table.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) id: &'static str,
    /// Higher counts first; equal ones in table order.
    pub(super) priority: u32,
    pub(super) needs_description: bool,
    /// In the order in which they count.
    pub(super) places: &'static [Place],
}

/// Where a provider looks.
#[derive(Debug)]
pub(super) enum Place {
    /// These folders of the home directory.
    Home(&'static [&'static str]),
    /// This folder of the place that `CLAUDE_CONFIG_DIR` moves.
    ClaudeHome(&'static str),
    /// These folders of each project directory, nearest first.
    ProjectUp(&'static [&'static str]),
    /// This folder of the working directory only.
    ProjectHere(&'static str),
    /// `<installPath>/skills` of each installed plugin.
    InstalledPlugins,
}

/// Stands in a folder for the configured name of the native directory.
pub(super) const NATIVE_DIR: &str = "{native}";
/// The provider id of custom directories.
pub(super) const CUSTOM: &str = "custom";

/// In registration order.
pub(super) const PROVIDERS: &[Provider] = &[
    Provider {
        id: "native",
        priority: 100,
        needs_description: true,
        places: &[
            Place::ProjectUp(&["{native}/skills"]),
            Place::Home(&["{native}/agent/skills", "{native}/skills"]),
        ],
    },
    Provider {
        id: "claude",
        priority: 80,
        needs_description: false,
        places: &[
            Place::ClaudeHome("skills"),
            Place::ProjectUp(&[".claude/skills"]),
        ],
    },
    Provider {
        id: "claude-plugins",
        priority: 70,
        needs_description: false,
        places: &[Place::InstalledPlugins],
    },
    Provider {
        id: "agents",
        priority: 70,
        needs_description: false,
        places: &[
            Place::ProjectUp(&[".agent/skills", ".agents/skills"]),
            Place::Home(&[".agent/skills", ".agents/skills"]),
        ],
    },
    Provider {
        id: "codex",
        priority: 70,
        needs_description: false,
        places: &[
            Place::Home(&[".codex/skills"]),
            Place::ProjectHere(".codex/skills"),
        ],
    },
];

/// The table by priority; registration order decides ties.
pub(super) fn by_priority() -> Vec<&'static Provider> {
    let mut rows: Vec<_> = PROVIDERS.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.priority));
    rows
}

/// Whether skills of that provider and level are switched on. One without a switch of its own is on while any is.
pub(super) fn is_source_on(provider: &str, level: Level, skills: &SkillSettings) -> bool {
    match (provider, level) {
        (CUSTOM, _) => true,
        ("codex", Level::User) => skills.enable_codex_user,
        ("claude", Level::User) => skills.enable_claude_user,
        ("claude", Level::Project) => skills.enable_claude_project,
        ("native", Level::User) => skills.enable_pi_user,
        ("native", Level::Project) => skills.enable_pi_project,
        _ => {
            skills.enable_codex_user
                || skills.enable_claude_user
                || skills.enable_claude_project
                || skills.enable_pi_user
                || skills.enable_pi_project
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_in_which_they_count() {
        let ids: Vec<_> = by_priority().iter().map(|row| row.id).collect();
        assert_eq!(
            ids,
            ["native", "claude", "claude-plugins", "agents", "codex"]
        );
    }

    #[test]
    fn sources_without_a_switch_follow_any_switch() {
        let mut skills = SkillSettings {
            enable_codex_user: false,
            enable_claude_user: false,
            enable_claude_project: false,
            enable_pi_user: false,
            enable_pi_project: false,
            ..SkillSettings::default()
        };
        for (provider, level) in [
            ("agents", Level::User),
            ("agents", Level::Project),
            ("claude-plugins", Level::User),
            ("codex", Level::Project),
        ] {
            assert!(!is_source_on(provider, level, &skills), "{provider}");
        }
        assert!(is_source_on(CUSTOM, Level::Custom, &skills));
        skills.enable_codex_user = true;
        assert!(is_source_on("agents", Level::Project, &skills));
        assert!(is_source_on("codex", Level::Project, &skills));
        assert!(!is_source_on("claude", Level::Project, &skills));
    }
}
