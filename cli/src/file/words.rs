//! Commands that need no shell.

use super::Program;

/// What a shell would do something with, outside of quotes.
const SYNTAX: [char; 21] = [
    '|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '*', '?', '[', ']', '#', '~', '{', '}', '!',
    '\n', '\r',
];

/// Words that only a shell knows, or that mean something else to it than a program of the name.
const BUILTINS: [&str; 36] = [
    ".", ":", "[[", "alias", "bg", "break", "case", "cd", "command", "continue", "eval", "exec",
    "exit", "export", "fg", "for", "function", "getopts", "hash", "if", "jobs", "local", "read",
    "readonly", "return", "select", "set", "shift", "source", "time", "trap", "ulimit", "umask",
    "unset", "until", "while",
];

/// Returns the program that a line starts: without a shell if none is needed.
pub(super) fn program(line: &str, shell: &str) -> Program {
    match split(line) {
        Some(words) => Program::Direct(words),
        None => Program::Shell { shell: shell.to_owned(), line: line.to_owned() },
    }
}

/// Splits a line into words, as `sh` does; `None` if it needs a shell for more than quotes.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let (quoted, rest) = chars.as_str().split_once('\'')?;
                word.get_or_insert_default().push_str(quoted);
                chars = rest.chars();
            }
            '"' => {
                let (quoted, rest) = chars.as_str().split_once('"')?;
                if quoted.contains(['$', '`', '\\', '!']) {
                    return None;
                }
                word.get_or_insert_default().push_str(quoted);
                chars = rest.chars();
            }
            c if SYNTAX.contains(&c) => return None,
            // A first word with `=` is a variable.
            '=' if words.is_empty() => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let first = words.first()?;
    let is_builtin = BUILTINS.contains(&first.as_str());
    (!is_builtin && !first.is_empty() && !line.contains('\0')).then_some(words)
}
