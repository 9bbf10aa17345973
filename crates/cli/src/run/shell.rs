//! Lines that need no shell.
//!
//! By crontab(5), `/bin/sh` runs each line. A line of plain words means the same without a shell, and starts twice as
//! fast, with one process less. Everything that could be special to any shell installed as `/bin/sh` goes to the shell.

use crate::file::Program;

/// The punctuation of plain words. It is not special to any shell anywhere in a word, except for `=`, which makes the
/// first word an assignment.
const PUNCTUATION: &[u8] = b"%+,-./:=@_";

/// The reserved words and builtins of dash, bash, ksh, mksh, zsh and the `sh` of `busybox`: words that do not run a
/// program from the path.
const OWN_WORDS: &str = "\
    . : alias autoload bg bind break builtin bye caller case cat cd chdir command compctl \
    compgen complete compopt continue coproc declare dirs disable disown do done echo echotc \
    echoti elif else emulate enable end esac eval exec exit export false fc fg fi float for \
    foreach function functions getconf getln getopts global hash help hist history if in integer \
    jobs kill let limit local log logout mapfile nameref namespace newgrp nocorrect noglob popd \
    print printf private pushd pushln pwd r read readarray readonly realpath rehash rename \
    repeat return sched select set setopt shift shopt sleep source stop suspend test then time \
    times trap true ttyctl type typeset ulimit umask unalias unfunction unhash unlimit unset \
    unsetopt until vared wait whence where which while zmodload zstyle";

/// Returns the words of a line if they mean the same without the shell.
pub(super) fn words<'l>(shell: &str, line: &'l str) -> Option<Vec<&'l str>> {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || b" \t".contains(&byte) || PUNCTUATION.contains(&byte)
    };
    // bash, which may be `/bin/sh`, takes functions from the environment.
    let has_functions =
        || std::env::vars_os().any(|(name, _)| name.as_encoded_bytes().starts_with(b"BASH_FUNC_"));
    // Another shell may have been chosen for more than splitting words.
    if shell != Program::SHELL || !line.bytes().all(is_plain) || has_functions() {
        return None;
    }
    let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    let first = words.first()?;
    // `%1` names a job of the shell, and an option would be the shell's.
    let is_program = !first.starts_with(['%', '-', '+']) && !first.contains('=');
    (is_program && !OWN_WORDS.split(' ').any(|word| word == *first)).then_some(words)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use millicron_test_support::directory::Directory;

    use super::{PUNCTUATION, words};

    #[test]
    fn plain_words_need_no_shell() {
        assert_eq!(words("/bin/sh", "backup.sh"), Some(vec!["backup.sh"]));
        let expected = ["/usr/bin/rsync", "-a", "--exclude=x", "a:/b", "c@d"];
        let line = "/usr/bin/rsync  -a\t--exclude=x a:/b c@d ";
        assert_eq!(words("/bin/sh", line), Some(expected.to_vec()));
    }

    #[test]
    fn what_a_shell_gives_a_meaning_needs_one() {
        for line in [
            "", " ", "a | b", "a; b", "a &", "a > b", "a < b", "a && b", "(a)", "$a", "a $b",
            "`a`", "a `b`", "a 'b'", "a \"b\"", "a \\b", "ls *", "ls ?", "ls [a]", "[ -e a ]",
            "{ a", "! a", "a ~", "a ~/b", "a #b", "A=b c", "a ^ b", "a\nb", "a\rb", "a é",
            "a\u{a0}b", "a {b,c}", "a !!", "a 2>b", "\0",
        ] {
            assert_eq!(words("/bin/sh", line), None, "{line:?}");
        }
    }

    #[test]
    fn builtins_and_reserved_words_need_a_shell() {
        for line in
            ["cd /", ":", ". a", "exit 3", "echo -e", "test -e a", "time a", "if a", "kill 1", "%1"]
        {
            assert_eq!(words("/bin/sh", line), None, "{line:?}");
        }
    }

    /// Returns what the shell passes to the first word of a line.
    fn by_shell(line: &str, directory: &Path) -> Vec<String> {
        let mut shell = Command::new("/bin/sh");
        let output = shell.args(["-c", line]).current_dir(directory).output().expect("a shell");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_shell_splits_plain_lines_into_the_same_words() {
        let directory = Directory::new("words");
        let script = directory.join("show");
        fs::write(&script, "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done\n")
            .expect("accessible file");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("our file");
        // What the words would match if they were patterns.
        for name in ["a", "b", "A=b", "a@b", "-"] {
            fs::write(directory.join(name), "").expect("accessible file");
        }
        // Each character that is plain, alone and in the places of a word where it could mean something.
        let plain =
            (1..=127_u8).map(char::from).filter(|c| words("/bin/sh", &format!("x {c}")).is_some());
        let plain: Vec<char> = plain.collect();
        assert!(plain.len() >= 62 + PUNCTUATION.len());
        for first in plain {
            for line in [
                format!("./show {first}"),
                format!("./show {first}a a{first} a{first}b {first}{first} "),
                format!("./show a={first} {first}=b 1{first}2 {first}\t{first}a/b"),
                format!("  ./show\ta -{first} --{first}=a,{first}"),
            ] {
                let words = words("/bin/sh", &line).expect("plain words");
                assert_eq!(by_shell(&line, directory.path()), words[1..], "{line:?}");
            }
        }
    }

    #[test]
    fn own_words_are_those_of_the_shell() {
        // Anything that a shell finds without the path is not a program.
        let script = "PATH=/nowhere; for word in $WORDS; do command -v $word; done";
        let candidates: Vec<String> = ["/bin", "/usr/bin"]
            .iter()
            .flat_map(|path| fs::read_dir(path).into_iter().flatten().filter_map(Result::ok))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| words("/bin/sh", name).is_some())
            .collect();
        assert!(candidates.len() > 50);
        // `/bin/sh` may be any of them.
        for shell in ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/ksh", "/bin/zsh"] {
            let mut command = Command::new(shell);
            command.args(["-c", script]).env("WORDS", candidates.join(" "));
            let Ok(output) = command.output() else { continue };
            assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), "", "{shell}");
        }
    }

    #[test]
    fn another_shell_runs_every_line() {
        assert_eq!(words("/bin/bash", "a"), None);
        assert_eq!(words("sh", "a"), None);
    }
}
