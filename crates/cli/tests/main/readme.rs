//! The consoles in the documentation show what the program writes.

use std::path::Path;

use super::command::shown_in;
use super::program::words;

/// Checks each command in the consoles of a text whose output is shown, in the directory of the repository, and returns
/// how many were checked.
fn check(text: &str, program: &str) -> usize {
    let consoles = text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands = consoles.flat_map(|console| console.split("$ ").skip(1));
    let mut checked = 0;
    for command in commands {
        let (line, output) = command.split_once('\n').expect("a line");
        let arguments = words(line.strip_prefix(program).expect(line));
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let shown = shown_in(Path::new("../.."), &arguments);
        let shown = shown.split("exit status").next().unwrap_or_default();
        assert_eq!(shown.trim_end(), output.trim_end(), "{line}");
        checked += 1;
    }
    checked
}

#[test]
fn readme_of_the_command_shows_its_output() {
    assert!(check(include_str!("../../README.md"), "millicron ") >= 5);
}

#[test]
fn readme_of_the_library_shows_the_output_of_the_command() {
    let readme = include_str!("../../../../README.md");
    assert_eq!(check(readme, "cargo run -p millicron-cli -- "), 1);
}
