//! Options of the verbs that look with an agent's eyes.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line reads the environment for everyone"
)]

use std::path::{Path, PathBuf};

use crate::runtime::{Overrides, Places};
use crate::verbs::agent::Request;

/// Toggles, filters and places of the discovery runtime.
#[derive(Debug, clap::Args)]
pub(super) struct AgentArgs {
    /// The user's home directory
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// The working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A settings file in place of the user's
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Leave out skills of Claude's user folder
    #[arg(long)]
    no_claude_user: bool,
    /// Leave out skills of Claude's project folder
    #[arg(long)]
    no_claude_project: bool,
    /// Leave out skills of Codex's user folder
    #[arg(long)]
    no_codex_user: bool,
    /// Leave out native skills of the user
    #[arg(long)]
    no_native_user: bool,
    /// Leave out native skills of the project
    #[arg(long)]
    no_native_project: bool,
    /// Leave out skills whose name matches
    #[arg(long, value_name = "GLOB")]
    ignore: Vec<String>,
    /// Keep only skills whose name matches
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Look into this folder too
    #[arg(long, value_name = "DIR")]
    custom: Vec<String>,
}

impl AgentArgs {
    /// The request, with what the environment adds.
    pub(super) fn request(&self, current: &Path) -> Request {
        let path = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let off = |flag: bool| flag.then_some(false);
        let home = self
            .home
            .clone()
            .or_else(|| path("HOME"))
            .unwrap_or_else(|| PathBuf::from("/"));
        Request {
            places: Places {
                home: current.join(home),
                cwd: self
                    .cwd
                    .as_ref()
                    .map_or_else(|| current.to_owned(), |cwd| current.join(cwd)),
                claude_config_dir: path("CLAUDE_CONFIG_DIR").filter(|_| self.home.is_none()),
                xdg_config_home: path("XDG_CONFIG_HOME").filter(|_| self.home.is_none()),
                settings_file: self.settings.as_ref().map(|file| current.join(file)),
            },
            overrides: Overrides {
                enable_claude_user: off(self.no_claude_user),
                enable_claude_project: off(self.no_claude_project),
                enable_codex_user: off(self.no_codex_user),
                enable_pi_user: off(self.no_native_user),
                enable_pi_project: off(self.no_native_project),
                ignored_skills: self.ignore.clone(),
                include_skills: self.include.clone(),
                custom_directories: self.custom.clone(),
                ..Overrides::default()
            },
        }
    }
}
