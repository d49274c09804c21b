//! The command line: arguments in, text or one JSON document out. The only place that prints, asks and reads the
//! environment. Depends on: verbs. Never: decides anything about source or outputs.

// reading order
mod args;
mod agent;
mod report;
mod excerpt;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::verbs::{self, Environment, Fault, Outcome};
use args::{Args, Command, NewCommand};

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let verb = args.command.name();
    let outcome = run(&args).unwrap_or_else(|fault| report::fault(verb, &fault));
    match report::print(&outcome, args.json, args.verbose, args.color()) {
        Ok(()) => ExitCode::from(outcome.exit.code()),
        // A closed pipe is the reader's choice.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::from(outcome.exit.code())
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "cannot write the answer: {error}");
            ExitCode::from(4)
        }
    }
}

fn run(args: &Args) -> Result<Outcome, Fault> {
    let start = args.start()?;
    let environment = Environment {
        start,
        rooted: args.root.is_some(),
        cache: args::cache_directory(),
        threads: args.threads,
    };
    match &args.command {
        Command::Init { yes } => verbs::init::run(&environment.start, *yes),
        Command::New { what } => match what {
            NewCommand::Skill {
                id,
                draft,
                plugin,
                yes,
            } => {
                let new = verbs::new::NewSkill {
                    id,
                    draft: *draft,
                    plugin: plugin.as_deref(),
                };
                verbs::new::skill(&environment.root()?, &new, *yes)
            }
            NewCommand::Plugin { id, yes } => verbs::new::plugin(&environment.root()?, id, *yes),
        },
        Command::Build {
            yes,
            keep_going,
            plan_hash,
        } => {
            let request = verbs::build::Request {
                yes: *yes,
                keep_going: *keep_going,
                plan_hash: plan_hash.as_deref(),
            };
            verbs::build::run(&environment, &request)
        }
        Command::Check { only } => {
            verbs::check::run(&environment, only.as_deref() == Some("outputs"))
        }
        Command::List => verbs::list::run(&environment),
        Command::Lookup { topic } => verbs::lookup::run(&environment, topic),
        Command::ExplainCode { code } => Ok(verbs::explain_code::run(code.as_deref())),
        Command::Discover { agent } => {
            Ok(verbs::agent::discover(&agent.request(&environment.start)))
        }
        Command::Read { url, raw, agent } => Ok(verbs::agent::read(
            &agent.request(&environment.start),
            url,
            *raw,
        )),
        Command::Prompt {
            no_read_tool,
            agent,
        } => Ok(verbs::agent::prompt(
            &agent.request(&environment.start),
            !no_read_tool,
        )),
        Command::Invoke { text, agent } => Ok(verbs::agent::invoke(
            &agent.request(&environment.start),
            text,
        )),
        Command::Context { agent } => Ok(verbs::agent::context(&agent.request(&environment.start))),
        Command::Recover => verbs::build::recover(&environment),
        Command::Completions { shell } => Ok(Outcome::new(
            "completions",
            serde_json::json!({}),
            args::completions(*shell),
        )),
    }
}
