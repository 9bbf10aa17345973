//! `millicron man`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, roman};

use super::Arguments;
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
    /// The command, such as next, or schedules list [default: the whole program]
    command: Vec<String>,

    /// Write the pages of the program and of all commands to a directory
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "command")]
    directory: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, _: &Now, output: &mut Output) -> Result<(), Error> {
        output.exclude_json("the command `man`", true)?;
        let mut program = Arguments::command().disable_help_subcommand(true);
        program.build();
        if let Some(directory) = self.directory {
            fs::create_dir_all(&directory).map_err(|error| {
                Error::because(format_args!("cannot create {}", directory.display()), error)
            })?;
            return write_pages(&program, &directory);
        }
        let mut command = &program;
        for name in &self.command {
            let Some(found) = command.find_subcommand(name) else {
                let names: Vec<_> =
                    command.get_subcommands().map(clap::Command::get_name).collect();
                let error = Error::new(format_args!("there is no command `{name}`"));
                return Err(match &names[..] {
                    [] => error.hint(format_args!("see `millicron man {}`", command.get_name())),
                    names => error.hint(format_args!("write one of {}", names.join(", "))),
                });
            };
            command = found;
        }
        Ok(output.write_all(&page(command)?)?)
    }
}

/// Returns the name of a page, hyphenated like git's.
fn page_name(command: &clap::Command) -> String {
    // A command below another one has the names of both.
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

/// Returns the page of the program or of a command.
fn page(command: &clap::Command) -> Result<Vec<u8>, Error> {
    let name = page_name(command);
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    // Pages show what only `--help` shows.
    let shown = command.clone().name(&name).mut_args(|argument| argument.hide_short_help(false));
    let page = Page::new(shown);
    let mut text = Vec::new();
    // clap_mangen would drop the empty date.
    writeln!(text, ".TH {name} 1 \"\" \"millicron {}\"", env!("CARGO_PKG_VERSION"))?;
    // Justification would insert spaces into schedules.
    writeln!(text, ".ad l\n.nh")?;
    page.render_name_section(&mut text)?;
    section("SYNOPSIS", [&*usage]).to_writer(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for part in after.split("\n\n") {
        let (heading, lines) = part.split_once(":\n").unwrap_or_default();
        section(&heading.to_uppercase(), lines.lines().map(str::trim)).to_writer(&mut text)?;
    }
    // clap_mangen also breaks the line before and after an empty line. That has no effect, and linters warn of it.
    let text = String::from_utf8_lossy(&text).replace("\n.br\n\n.br\n", "\n.sp\n");
    Ok(text.into_bytes())
}

/// Returns a section whose lines are kept as they are.
fn section<'a>(heading: &str, lines: impl IntoIterator<Item = &'a str>) -> Roff {
    let mut section = Roff::new();
    section.control("SH", [heading]).control("nf", []);
    for line in lines {
        section.text([roman(line)]);
    }
    section.control("fi", []);
    section
}

/// Writes the pages of a command and of those below it.
fn write_pages(command: &clap::Command, directory: &Path) -> Result<(), Error> {
    let path = directory.join(format!("{}.1", page_name(command)));
    fs::write(&path, page(command)?)
        .map_err(|error| Error::because(format_args!("cannot write {}", path.display()), error))?;
    command.get_subcommands().try_for_each(|command| write_pages(command, directory))
}
