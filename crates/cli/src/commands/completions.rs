//! `millicron completions`.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Arguments;
use crate::error::Error;
use crate::output::Output;
use crate::times::Now;

/// Write shell completions
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron completions bash > ~/.local/share/bash-completion/completions/millicron
  millicron completions zsh > ~/.zfunc/_millicron
  millicron completions fish > ~/.config/fish/completions/millicron.fish
  millicron completions powershell >> $PROFILE")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, _: &Now, output: &mut Output) -> Result<(), Error> {
        output.exclude_json("the command `completions`", true)?;
        // Writing directly would panic on a closed pipe.
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "millicron", &mut text);
        Ok(output.write_all(&text)?)
    }
}
