//! `millicron man`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap_mangen::Man as Page;

use crate::args::Arguments;
use crate::error::Error;
use crate::output::Output;
use crate::times::Now;

/// Write the man page of the program or of a command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron man | man -l -
  millicron man next | man -l -
  millicron man --directory ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The command, such as next [default: the whole program]
    command: Option<String>,

    /// Write the pages of the program and of all commands to a directory
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "command")]
    directory: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, _: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let mut program = Arguments::description().disable_help_subcommand(true);
        program.build();
        match (self.directory, self.command) {
            (Some(directory), _) => write_pages(&program, &directory)?,
            (None, None) => Page::new(program).render(output)?,
            (None, Some(name)) => {
                let Some(command) = program.find_subcommand(&name) else {
                    let names: Vec<_> =
                        program.get_subcommands().map(clap::Command::get_name).collect();
                    return Err(Error::new(format_args!("there is no command `{name}`"))
                        .hint(format_args!("write one of {}", names.join(", "))));
                };
                page(command).render(output)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the page of a command, named with a hyphen, as those of git.
fn page(command: &clap::Command) -> Page {
    let name = format!("millicron-{}", command.get_name());
    Page::new(command.clone().name(name))
}

fn write_pages(program: &clap::Command, directory: &Path) -> Result<(), Error> {
    let write = |name: &str, page: Page| {
        let path = directory.join(format!("{name}.1"));
        let mut text = Vec::new();
        page.render(&mut text)?;
        fs::write(&path, text)
            .map_err(|error| Error::new(format_args!("cannot write {}: {error}", path.display())))
    };
    fs::create_dir_all(directory).map_err(|error| {
        Error::new(format_args!("cannot create {}: {error}", directory.display()))
    })?;
    write("millicron", Page::new(program.clone()))?;
    for command in program.get_subcommands() {
        write(&format!("millicron-{}", command.get_name()), page(command))?;
    }
    Ok(())
}
