//! The program in a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Runs `millicron` with the standard output in a terminal, and returns what the terminal received.
fn in_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("access");
    unlockpt(&terminal).expect("access");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let stdout =
        File::options().write(true).open(OsStr::from_bytes(name.as_bytes())).expect("a terminal");
    let mut child = Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(arguments)
        .envs([("TZ", "UTC"), ("TERM", "xterm")])
        .env_remove("NO_COLOR")
        .envs(environment.iter().copied())
        .stdout(stdout)
        .spawn()
        .expect("the command starts");
    let mut received = Vec::new();
    // Ends with an error when the last process has closed the terminal.
    let _ = File::from(terminal).read_to_end(&mut received);
    assert!(child.wait().expect("the command ends").success());
    String::from_utf8(received).expect("UTF-8")
}

#[test]
fn watch_counts_down_in_a_terminal() {
    let watch = ["watch", "*:*:*", "-n", "1", "--now", "2026-11-22T12:00:00.300Z"];
    let text = in_terminal(&watch, &[]);
    let countdown = "\r\x1b[1mSun 2026-11-22 12:00:01 +00:00  in 1s\x1b[0m";
    let event = text.strip_prefix(countdown).expect(&text);
    assert!(event.starts_with("\rSun 2026-11-22 12:00:01 +00:00  \x1b[2m"), "{text:?}");
    assert!(event.ends_with(" ms late\x1b[0m\r\n"), "{text:?}");

    let plain = in_terminal(&watch, &[("NO_COLOR", "1")]);
    assert!(plain.starts_with("\rSun 2026-11-22 12:00:01 +00:00  in 1s\rSun"), "{plain:?}");
    assert!(!plain.contains('\x1b'), "{plain:?}");
}
