//! Lines that need no shell.
//!
//! crontab(5) has `/bin/sh` run each line. A line of plain words means the same without it, and starts
//! twice as fast, with one process less. Whatever could mean something to any shell that is installed as
//! `/bin/sh` goes to the shell.

use crate::file::Program;

/// The punctuation of plain words. No shell gives it a meaning in any place of a word, but `=`, which
/// makes a first word an assignment.
const PUNCTUATION: &[u8] = b"%+,-./:=@_";

/// The words of dash, bash, ksh, mksh, zsh and the `sh` of `busybox` that are no programs, or not those on
/// the path: reserved words, and commands that are built in.
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
    // Whoever chooses another shell may mean more by it than to split words.
    if shell != Program::SHELL || !line.bytes().all(is_plain) {
        return None;
    }
    let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    let first = words.first()?;
    // Jobs of a shell are named `%1`; an option would be one of the shell.
    let is_program = !first.starts_with(['%', '-', '+']) && !first.contains('=');
    (is_program && !OWN_WORDS.split(' ').any(|word| word == *first)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::words;

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

    #[test]
    fn another_shell_runs_every_line() {
        assert_eq!(words("/bin/bash", "a"), None);
        assert_eq!(words("sh", "a"), None);
    }
}
