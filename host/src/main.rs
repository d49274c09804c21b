//! The `skillset` command.

fn main() -> std::process::ExitCode {
    skillset_host::cli::main()
}
