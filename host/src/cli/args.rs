//! The arguments, their help, and what the environment adds to them.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line reads the environment for everyone"
)]

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use super::agent::AgentArgs;
use crate::verbs::Fault;

/// Compile agent skills for every target from one source
#[derive(Debug, Parser)]
#[command(
    name = "skillset",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(super) struct Args {
    /// The workspace (default: the nearest folder above with a skillset.yaml)
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Show information too, not only errors and warnings
    #[arg(long, short, global = true)]
    pub(super) verbose: bool,
    /// When to colour diagnostics
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    color: Color,
    /// Threads for rendering (default: one for each processor)
    #[arg(long, global = true, value_name = "N")]
    pub(super) threads: Option<usize>,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make this folder a workspace
    #[command(after_help = "Example: skillset init --yes")]
    Init {
        /// Write; without it only show
        #[arg(long)]
        yes: bool,
    },
    /// Scaffold a skill or a plugin
    #[command(after_help = "Example: skillset new skill docs-review --yes")]
    New {
        #[command(subcommand)]
        what: NewCommand,
    },
    /// Compile the source: show the plan, or write it
    #[command(
        after_help = "Examples:\n  skillset build          show what would be written\n  skillset build --yes    write it"
    )]
    Build {
        /// Write; without it only show
        #[arg(long)]
        yes: bool,
        /// Leave broken units out, keep their outputs, and exit 1
        #[arg(long)]
        keep_going: bool,
        /// Refuse unless the plan has this hash
        #[arg(long, value_name = "HASH", requires = "yes")]
        plan_hash: Option<String>,
    },
    /// Validate source and outputs
    #[command(after_help = "Example: skillset check --only outputs")]
    Check {
        /// Only compare outputs with what a build would write
        #[arg(long, value_name = "WHAT", value_parser = ["outputs"])]
        only: Option<String>,
    },
    /// Show units, groups, drafts and where they go
    #[command(after_help = "Example: skillset list --json")]
    List,
    /// Show facts: `targets`, `standards`, or one target's features
    #[command(after_help = "Example: skillset lookup targets")]
    Lookup {
        /// `targets`, `standards` or a target's id
        topic: String,
    },
    /// Explain a diagnostic code
    #[command(after_help = "Example: skillset explain-code yaml-unquoted-colon")]
    ExplainCode {
        /// The code; without it all are listed
        code: Option<String>,
    },
    /// Roll back an interrupted write
    #[command(after_help = "Example: skillset recover")]
    Recover,
    /// List the skills that an agent is offered here
    #[command(after_help = "Example: skillset discover --ignore 'draft-*'")]
    Discover {
        #[command(flatten)]
        agent: AgentArgs,
    },
    /// Read a skill:// URL
    #[command(after_help = "Example: skillset read skill://pdf/references/tables.md")]
    Read {
        /// `skill://<name>` or `skill://<name>/<path>`
        url: String,
        /// Print the bytes and nothing else
        #[arg(long)]
        raw: bool,
        #[command(flatten)]
        agent: AgentArgs,
    },
    /// Show the list of skills as a system prompt has it
    #[command(after_help = "Example: skillset prompt --cwd packages/app")]
    Prompt {
        /// The agent has no tool to read files
        #[arg(long)]
        no_read_tool: bool,
        #[command(flatten)]
        agent: AgentArgs,
    },
    /// Show the message of a /skill:<name> command
    #[command(after_help = "Example: skillset invoke '/skill:pdf extract the tables'")]
    Invoke {
        /// `/skill:<name> [args]`
        text: String,
        #[command(flatten)]
        agent: AgentArgs,
    },
    /// List context files from here upwards, nearest first
    #[command(after_help = "Example: skillset context --cwd packages/app")]
    Context {
        #[command(flatten)]
        agent: AgentArgs,
    },
    /// Print a completion script
    #[command(after_help = "Example: skillset completions bash > /etc/bash_completion.d/skillset")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum NewCommand {
    /// Scaffold a skill
    Skill {
        /// 1 to 64 lowercase letters or digits, separated by single hyphens
        id: String,
        /// As an unpublished draft below `_drafts/`
        #[arg(long)]
        draft: bool,
        /// In this plugin
        #[arg(long = "in", value_name = "PLUGIN")]
        plugin: Option<String>,
        /// Write; without it only show
        #[arg(long)]
        yes: bool,
    },
    /// Scaffold a plugin
    Plugin {
        /// 1 to 64 lowercase letters or digits, separated by single hyphens
        id: String,
        /// Write; without it only show
        #[arg(long)]
        yes: bool,
    },
}

impl Command {
    /// The verb's name, for the JSON envelope of a fault.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Init { .. } => "init",
            Self::New { .. } => "new",
            Self::Build { .. } => "build",
            Self::Check { .. } => "check",
            Self::List => "list",
            Self::Lookup { .. } => "lookup",
            Self::ExplainCode { .. } => "explain-code",
            Self::Discover { .. } => "discover",
            Self::Read { .. } => "read",
            Self::Prompt { .. } => "prompt",
            Self::Invoke { .. } => "invoke",
            Self::Context { .. } => "context",
            Self::Recover => "recover",
            Self::Completions { .. } => "completions",
        }
    }
}

impl Args {
    /// The folder to start from.
    pub(super) fn start(&self) -> Result<PathBuf, Fault> {
        let current = std::env::current_dir().map_err(Fault::CurrentDirectory)?;
        Ok(self
            .root
            .as_ref()
            .map_or_else(|| current.clone(), |root| current.join(root)))
    }

    /// Whether diagnostics are coloured.
    pub(super) fn color(&self) -> bool {
        use std::io::IsTerminal as _;
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::io::stderr().is_terminal()
            }
        }
    }
}

/// The folder of compiled renderers; `None` where there is no home.
pub(super) fn cache_directory() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("skillset").join("renderers"))
}

/// The completion script of a shell.
pub(super) fn completions(shell: clap_complete::Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "skillset", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
