//! Chores of the repository.

mod guests;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Chores of the repository")]
struct Chore {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Builds the five renderers into renderers/embedded.
    Guests(guests::Args),
}

fn main() -> anyhow::Result<()> {
    match Chore::parse().command {
        Command::Guests(args) => guests::run(&args),
    }
}
