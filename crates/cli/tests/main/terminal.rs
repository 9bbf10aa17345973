//! The program in a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::files::TextFile;

/// Starts `millicron` in a terminal, and returns what the terminal receives.
fn start_in_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> (Child, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("access");
    unlockpt(&terminal).expect("access");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let name = OsStr::from_bytes(name.as_bytes());
    let output = File::options().write(true).open(name).expect("a terminal");
    let errors = output.try_clone().expect("a terminal");
    let child = Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(arguments)
        .envs([("TZ", "UTC"), ("TERM", "xterm")])
        .env_remove("NO_COLOR")
        .envs(environment.iter().copied())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .expect("the command starts");
    (child, File::from(terminal))
}

/// Runs `millicron` in a terminal, and returns what the terminal received.
fn in_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let (mut child, mut terminal) = start_in_terminal(arguments, environment);
    let mut received = Vec::new();
    // Reading fails once the last process has closed the terminal.
    let _ = terminal.read_to_end(&mut received);
    assert!(child.wait().expect("the command ends").success());
    String::from_utf8(received).expect("UTF-8")
}

#[test]
fn watch_counts_down_in_a_terminal() {
    let watch = ["watch", "*:*:*", "-n", "1", "--now", "2026-11-22T12:00:00.300Z"];
    // On a slow machine, the event may have passed before the countdown begins.
    let in_terminal = |environment: &[(&str, &str)]| {
        let mut texts = iter::repeat_with(|| in_terminal(&watch, environment)).take(20);
        texts.find(|text| text.contains("  in 1s")).expect("a countdown")
    };
    let text = in_terminal(&[]);
    let countdown = "\r\x1b[1mSun 2026-11-22 12:00:01 +00:00  in 1s\x1b[0m";
    let event = text.strip_prefix(countdown).expect(&text);
    assert!(event.starts_with("\rSun 2026-11-22 12:00:01 +00:00  \x1b[2m"), "{text:?}");
    assert!(event.ends_with(" ms late\x1b[0m\r\n"), "{text:?}");

    let plain = in_terminal(&[("NO_COLOR", "1")]);
    assert!(plain.starts_with("\rSun 2026-11-22 12:00:01 +00:00  in 1s\rSun"), "{plain:?}");
    assert!(!plain.contains('\x1b'), "{plain:?}");
}

#[test]
fn a_simulation_that_takes_long_shows_its_progress_in_a_terminal() {
    let file = TextFile::new("jobs.toml", "[jobs.sample]\nschedule = '*:*:*.*'\n");
    let arguments = ["simulate", "--days", "1", "--now", "2026-11-22T12:00:00Z", file.path()];
    let (mut child, mut terminal) = start_in_terminal(&arguments, &[]);
    let (mut text, mut buffer) = (String::new(), [0; 1024]);
    while !text.contains("day 1 of 1, ") || !text.contains(" left") {
        let length = terminal.read(&mut buffer).expect("the command goes on");
        text.push_str(&String::from_utf8_lossy(&buffer[..length]));
    }
    child.kill().expect("the command goes on");
    child.wait().expect("the command ends");
}
