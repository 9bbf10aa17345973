//! Names of jobs, and the nearest of several names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::characters::visible;

/// The longest texts that are compared, in bytes. Comparing takes the product of their lengths in time and memory.
const LONGEST_COMPARED: usize = 256;

/// Returns the name that is most similar to a text, if any is similar.
pub(crate) fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if text.len() > LONGEST_COMPARED {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&text, &name.to_ascii_lowercase());
    let (distance, name) = names
        .into_iter()
        .filter(|name| name.len() <= LONGEST_COMPARED)
        .map(|name| (distance(name), name))
        .min_by_key(|(distance, _)| *distance)?;
    // One error in each three characters, as rustc allows: `args` is not meant as `tags`.
    (distance <= (text.chars().count() / 3).max(1)).then_some(name)
}

/// The names in use, each with the last number that was appended to it, or 1.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<String, u64>);

impl Names {
    /// Returns an unused name, with `-2`, `-3` and so on appended if necessary.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let name = &*visible(if name.is_empty() { "job" } else { name });
        let Some(mut number) = self.0.get(name).copied() else {
            self.0.insert(name.to_owned(), 1);
            return name.to_owned();
        };
        // Lower numbers are in use, so a file whose jobs all have one name is read in linear time.
        let unique = loop {
            number += 1;
            let candidate = format!("{name}-{number}");
            if let Entry::Vacant(entry) = self.0.entry(candidate.clone()) {
                entry.insert(1);
                break candidate;
            }
        };
        self.0.insert(name.to_owned(), number);
        unique
    }
}

/// Programs that run another program or script.
const WRAPPERS: [&str; 22] = [
    "bash", "chronic", "dash", "env", "exec", "flock", "ionice", "nice", "node", "nohup", "perl",
    "php", "python", "python3", "ruby", "setsid", "sh", "stdbuf", "sudo", "time", "timeout", "zsh",
];

/// Derives a name from a command: its program without the directory, as in `backup.sh` for
/// `cd /srv && nice -n 10 ./backup.sh --full`.
pub(super) fn of_command<'l>(line: &'l str) -> &'l str {
    let line = match line.trim_start().strip_prefix("cd ").and_then(|line| line.split_once("&&")) {
        Some((_, line)) => line,
        None => line,
    };
    let words = || line.split([' ', '\t', '\n', ';', '|', '&', '(', ')', '<', '>']);
    let program = |word: &&str| {
        let is_option = word.starts_with(['-', '+']);
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        !word.is_empty() && !is_option && !is_number && !word.contains('=')
    };
    let name = |word: &'l str| {
        let path = word.trim_matches(['"', '\'', '`']);
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    };
    let mut names = words().filter(program).map(name).filter(|name| !name.is_empty());
    let first = names.next().unwrap_or_default();
    if !WRAPPERS.contains(&first) {
        return first;
    }
    names.find(|name| !WRAPPERS.contains(name)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::{Names, nearest, of_command};

    #[test]
    fn commands_are_named_by_their_program() {
        for (line, name) in [
            ("/usr/local/bin/backup.sh --full", "backup.sh"),
            ("cd /srv/app && ./run.sh > /dev/null 2>&1", "run.sh"),
            ("PATH=/bin nice -n 10 ionice -c3 ./slow", "slow"),
            ("/usr/bin/python3 -u /opt/report.py", "report.py"),
            ("sh -c 'x; y'", "x"),
            ("test -x /usr/sbin/anacron || run-parts /etc", "test"),
            ("bash", "bash"),
            ("\"/opt/my app/x\"", "my"),
            ("/", ""),
            ("", ""),
        ] {
            assert_eq!(of_command(line), name, "{line}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names = Names::default();
        let given = ["a", "a", "a-2", "", "a", ""].map(|name| names.unique(name));
        assert_eq!(given, ["a", "a-2", "a-2-2", "job", "a-3", "job-2"]);
    }

    #[test]
    fn only_names_that_resemble_are_offered() {
        assert_eq!(nearest("shedule", ["command", "schedule"]), Some("schedule"));
        assert_eq!(nearest("ZONE", ["zone"]), Some("zone"));
        assert_eq!(nearest("timeot", ["tags", "timeout"]), Some("timeout"));
        assert_eq!(nearest("timezone", ["timeout"]), None);
        assert_eq!(nearest("args", ["tags"]), None);
        assert_eq!(nearest("x", ["schedule", "command"]), None);
        assert_eq!(nearest("x", []), None);
        let long = "x".repeat(1 << 20);
        assert_eq!(nearest(&long, [&*long]), None);
        assert_eq!(nearest("zone", [&*long, "zones"]), Some("zones"));
    }
}
