//! The command in a build without its features.

#![cfg(not(any(
    feature = "history",
    feature = "icalendar",
    feature = "metrics",
    feature = "page",
    feature = "schedules"
)))]

use std::process::Command;

/// Runs the command, which must fail, and returns its error.
fn error(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millicron"));
    let output = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples"));
    let output = output.args(arguments).output().expect("the command starts");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn options_that_need_a_feature_name_it() {
    let cases: [(&[&str], _, _); 6] = [
        (&["graph", "warehouse.toml", "--history", "runs.db"], "--history", "history"),
        (&["run", "warehouse.toml", "--history", "runs.db"], "--history", "history"),
        (&["run", "warehouse.toml", "--metrics", "127.0.0.1:0"], "--metrics", "metrics"),
        (&["run", "warehouse.toml", "--page", "127.0.0.1:0"], "--page", "page"),
        (
            &["days", "--import", "../tests/files/holidays.ics"],
            "--import ../tests/files/holidays.ics",
            "icalendar",
        ),
        (&["schedules", "list"], "schedules", "schedules"),
    ];
    for (arguments, option, feature) in cases {
        let expected = format!(
            "error: `{option}` needs the feature `{feature}`, which this build of the command lacks\n\
             hint: build it with `--features {feature}`, or install all of it with \
             `cargo install millicron-cli --features full`\n"
        );
        assert_eq!(error(arguments), expected, "{arguments:?}");
    }
}
