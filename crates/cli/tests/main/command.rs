//! Runs the command.

use std::path::Path;
use std::process::{Command, Output};

/// Runs `millicron` with arguments, in UTC, at noon on 22 November 2026, 80 columns wide.
pub(crate) fn millicron(arguments: &[&str]) -> Output {
    millicron_in(Path::new("."), arguments)
}

/// Like [`millicron`], but in a directory.
fn millicron_in(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(["--now", "2026-11-22T12:00:00Z"])
        .args(arguments)
        .current_dir(directory)
        .env("TZ", "UTC")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .env_remove("DATABASE_URL")
        .output()
        .expect("the command starts")
}

/// Runs `millicron`, and returns its output, with its exit status if that is not 0.
pub(crate) fn shown(arguments: &[&str]) -> String {
    shown_in(Path::new("."), arguments)
}

/// Like [`shown`], but in a directory.
pub(crate) fn shown_in(directory: &Path, arguments: &[&str]) -> String {
    let output = millicron_in(directory, arguments);
    let mut text = String::from_utf8(output.stdout).expect("UTF-8");
    text.push_str(&String::from_utf8(output.stderr).expect("UTF-8"));
    match output.status.code() {
        Some(0) => text,
        status => format!("{text}exit status {status:?}\n"),
    }
}
