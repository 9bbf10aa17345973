//! Crontabs, as cronie reads them: see crontab(5).

mod fields;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Dialect, Language};

use self::fields::{fields, is_field, more_fields, split_words, without_year};
use super::names::{self, Names};
use super::problem::Problem;
use super::{Command, Contents, JobEntry, MOST_JOBS, Policies, Program, schedule};
use crate::times::named_zone;

const CRONTAB: Language = Language::Dialect(Dialect::Crontab);

/// The most variables of a crontab, which is also cronie's limit. Each entry has all those above it.
const MOST_VARIABLES: usize = 1000;

/// The most copies of variables. Entries with the same variables share one of each.
const MOST_COPIES: usize = 1_000_000;

/// The lint for users that are read as commands.
const USERS: &str = "users";

/// Whether the crontab at a path has a user before each command.
pub(super) fn has_users(path: &Path) -> bool {
    path == Path::new("/etc/crontab") || path.parent() == Some(Path::new("/etc/cron.d"))
}

/// Reads a crontab.
pub(super) fn read(text: &str, has_users: bool, zone: &TimeZone) -> Contents {
    let mut jobs = Vec::new();
    let mut reader = CrontabReader {
        has_users,
        zone: zone.clone(),
        shell: None,
        delay: None,
        environment: Vec::new(),
        shared: None,
        copies: 0,
        tz_span: None,
        names: Names::default(),
        has_likely_user: false,
        problems: Vec::new(),
    };
    // Editors on Windows begin a file with a byte order mark.
    let mut start = text.len() - text.trim_start_matches('\u{feff}').len();
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let before = content.len() - content.trim_start_matches([' ', '\t']).len();
        let at = start + before;
        start += line.len();
        let content = &content[before..];
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some((name, value)) = assignment(content) {
            if let Err(problem) = reader.set(name, value, &(at..at + content.trim_end().len())) {
                reader.problems.push(problem);
            }
            continue;
        }
        if jobs.len() > MOST_JOBS {
            break;
        }
        match reader.entry(content, at) {
            Ok(job) => jobs.push(job),
            Err(problem) => reader.problems.push(wrong_assignment(content, at).unwrap_or(problem)),
        }
    }
    (jobs, reader.problems)
}

/// The settings from the lines above an entry.
#[derive(Debug)]
struct CrontabReader {
    has_users: bool,
    zone: TimeZone,
    shell: Option<String>,
    /// The longest random delay of jobs.
    delay: Option<Duration>,
    environment: Vec<(String, String)>,
    /// The same, shared by the entries below it.
    shared: Option<Arc<[(String, String)]>>,
    /// How many variables were copied for the entries so far.
    copies: usize,
    /// Where `TZ` is set.
    tz_span: Option<Range<usize>>,
    names: Names,
    /// Whether a command that looks like a user was reported.
    has_likely_user: bool,
    problems: Vec<Problem>,
}

impl CrontabReader {
    /// Sets a variable for the entries that follow.
    fn set(&mut self, name: String, value: String, line: &Range<usize>) -> Result<(), Problem> {
        if name.contains('\0') || value.contains('\0') {
            let message = "a variable must not contain a NUL character";
            return Err(Problem::error("environment", line.clone(), message));
        }
        match name.as_str() {
            "CRON_TZ" => {
                self.zone = named_zone(&value).map_err(|(message, hint)| {
                    // Cron takes all of `CRON_TZ=Asia/Tokyo 0 9 * * *` for the variable.
                    let first = value.split_whitespace().next().unwrap_or_default();
                    let is_zone = first.len() < value.len() && named_zone(first).is_ok();
                    let own_line = format!("write `CRON_TZ={first}` on a line of its own");
                    let hint = if is_zone { own_line } else { hint };
                    Problem::error("zone", line.clone(), message).hint(hint)
                })?;
                return Ok(());
            }
            "RANDOM_DELAY" => {
                let minutes = value.parse().ok().filter(|minutes| *minutes <= 24 * 60);
                let minutes: u64 = minutes.ok_or_else(|| {
                    let message = "RANDOM_DELAY is not a number of minutes from 0 to 1440";
                    Problem::error("environment", line.clone(), message)
                })?;
                self.delay = Some(Duration::from_secs(minutes * 60));
            }
            "SHELL" => self.shell = Some(value.clone()),
            "TZ" => self.tz_span = Some(line.clone()),
            _ => {}
        }
        if self.copies > MOST_COPIES {
            let message = "variables are set too often between entries";
            return Err(Problem::error("environment", line.clone(), message));
        }
        self.environment.retain(|(other, _)| *other != name);
        if self.environment.len() >= MOST_VARIABLES {
            let message = format_args!("a crontab has at most {MOST_VARIABLES} variables");
            return Err(Problem::error("environment", line.clone(), message));
        }
        self.environment.push((name, value));
        self.copies += self.shared.take().map_or(0, |shared| shared.len());
        Ok(())
    }

    /// Reads an entry that begins at byte `at` of the file.
    fn entry(&mut self, line: &str, at: usize) -> Result<JobEntry, Problem> {
        // A leading minus keeps cron from logging the entry.
        let unlogged = usize::from(line.starts_with('-'));
        let (entry, at) = (&line[unlogged..], at + unlogged);
        let whole = at..at + entry.len();
        let count = fields(entry, self.has_users);
        let (text, rest) = split_words(entry, count);
        let span = at..at + text.len();
        let text = without_year(text, count, &span)?;
        if text.starts_with("@reboot") {
            return Err(Problem::error("schedule", span, "`@reboot` is not a time")
                .hint("supercronic refuses it, too: start the command before `millicron run`"));
        }
        let read = schedule::read(text, Some(CRONTAB), &self.zone, &())
            .map_err(|problem| schedule::shift(problem, &span, true))?;
        let (user, rest) = self.split_user(rest, &whole)?;
        let start = whole.end - rest.len();
        self.problems.extend(more_fields(count, &span));
        if user.is_none() && !self.has_likely_user {
            let problem = likely_user(rest, start);
            self.has_likely_user = problem.is_some();
            self.problems.extend(problem);
        }
        let (line, input) = split_input(rest);
        let input = input.map(|(index, input)| {
            let start = start + index;
            let message = "`%` ends the command, and what follows is its standard input";
            let problem = Problem::warning("percent", start..start + 1, message);
            self.problems.push(problem.hint("write `\\%` for a percent sign"));
            input
        });
        let name = self.names.unique(names::of_command(&line));
        let command = self.command(&line, input, user.map(str::to_owned));
        Ok(JobEntry {
            command: Some(command),
            tz_span: self.tz_span.clone(),
            policies: Policies { jitter: self.delay, ..Policies::default() },
            ..JobEntry::new(name, span, text.to_owned(), read)
        })
    }

    /// Splits the rest of an entry into the user and the command.
    fn split_user<'l>(
        &self,
        rest: &'l str,
        entry: &Range<usize>,
    ) -> Result<(Option<&'l str>, &'l str), Problem> {
        let words = rest.trim_start_matches([' ', '\t']);
        let (user, command) = split_words(words, usize::from(self.has_users));
        let command = command.trim_start_matches([' ', '\t']);
        if command.is_empty() {
            let message = if self.has_users { "no user and command" } else { "no command" };
            return Err(Problem::error("command", entry.clone(), message));
        }
        let (first, _) = split_words(command, 1);
        let found = [("a user", user, words), ("a command", first, command)];
        if let Some((what, word, from)) = found.into_iter().find(|(_, word, _)| is_field(word)) {
            let start = entry.end - from.len();
            // A shell would expand it to the names of files, and start the first one.
            let message = format_args!("expected {what}, found `{word}`, which looks like a field");
            return Err(Problem::error("command", start..start + word.len(), message).hint(
                "a schedule has five fields; six begin with seconds, and seven also end with a year",
            ));
        }
        Ok((self.has_users.then_some(user), command))
    }

    fn command(&mut self, line: &str, input: Option<String>, user: Option<String>) -> Command {
        let shell = self.shell.as_deref().unwrap_or(Program::SHELL).to_owned();
        let program = Program::Shell { shell, line: line.to_owned() };
        let home = self.environment.iter().find(|(name, _)| name == "HOME");
        let directory = home.map(|(_, home)| PathBuf::from(home));
        let shared = self.shared.get_or_insert_with(|| self.environment.as_slice().into());
        let (shared_environment, environment) = (Arc::clone(shared), Vec::new());
        Command { program, shared_environment, environment, input, directory, user }
    }
}

/// Warns of a command that begins with a user, as in a system crontab read without users.
fn likely_user(command: &str, start: usize) -> Option<Problem> {
    // Common users in system crontabs that are not commands.
    const NAMES: [&str; 7] =
        ["root", "www-data", "nobody", "daemon", "postgres", "apache", "munin"];
    let (user, _) = command.split_once([' ', '\t']).filter(|(user, _)| NAMES.contains(user))?;
    let message = format_args!("`{user}` would be run as a command, but looks like a user");
    let problem = Problem::warning(USERS, start..start + user.len(), message);
    Some(problem.hint("`--users` reads a system crontab with users"))
}

/// Parses `NAME = value`, each with or without quotes; `None` if the line is not an assignment.
///
/// This is cronie's `load_env`.
fn assignment(line: &str) -> Option<(String, String)> {
    let first = line.chars().next()?;
    let (name, rest) = if let '"' | '\'' = first {
        line[1..].split_once(first).filter(|(name, _)| !name.contains('='))?
    } else {
        let end = line.find(|c: char| c.is_ascii_whitespace() || c == '=')?;
        line.split_at(end)
    };
    let value = rest.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let (value, rest) = value[1..].split_once(quote)?;
            rest.trim_ascii().is_empty().then_some(value)?
        }
        _ => value.trim_ascii_end(),
    };
    (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

/// Returns what is wrong with a line that sets a variable as in a shell.
fn wrong_assignment(line: &str, at: usize) -> Option<Problem> {
    let error = |message| Problem::error("environment", at..at + line.len(), message);
    let exported = line.strip_prefix("export").map(str::trim_ascii_start);
    if exported.is_some_and(|line| assignment(line).is_some()) {
        return Some(error("a crontab sets variables without `export`").hint("leave it out"));
    }
    let (name, value) = line.split_once('=')?;
    let is_name = name.trim_ascii_end().bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let value = value.trim_ascii_start();
    let quote = value.chars().next().filter(|it| is_name && ['"', '\''].contains(it))?;
    Some(if value[1..].contains(quote) {
        error("nothing may follow the quoted value of a variable").hint("put comments above it")
    } else {
        error("the quoted value of a variable has no end")
    })
}

/// Splits a command at its first `%` into the command and its standard input, as cronie's
/// `do_command` does. Other `%` are line ends, and `\%` is a percent sign. Returns where it is split.
fn split_input(line: &str) -> (String, Option<(usize, String)>) {
    let mut command = String::new();
    let mut is_escaped = false;
    for (index, c) in line.char_indices() {
        if c == '%' && !is_escaped {
            let input = unescape_input(line.get(index + 1..).unwrap_or_default());
            return (command, Some((index, input)));
        }
        if c == '%' {
            command.pop();
        }
        command.push(c);
        // The second of two backslashes escapes nothing.
        is_escaped = c == '\\' && !is_escaped;
    }
    (command, None)
}

fn unescape_input(text: &str) -> String {
    let mut input = String::new();
    let mut is_escaped = false;
    for c in text.chars() {
        // Here, the second of two backslashes escapes what follows it.
        match (c, std::mem::replace(&mut is_escaped, c == '\\')) {
            ('\\', false) => {}
            ('\\', true) => input.push('\\'),
            ('%', true) => input.push('%'),
            ('%', false) => input.push('\n'),
            (c, true) => input.extend(['\\', c]),
            (c, false) => input.push(c),
        }
    }
    let end = if input.is_empty() || input.ends_with('\n') { "" } else { "\n" };
    input + if is_escaped { "\\" } else { "" } + end
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::{assignment, read, split_input};

    /// The expected results are from the loops of cronie's `do_command.c`, compiled on their own.
    #[test]
    fn percent_signs_are_those_of_cronie() {
        for (line, command, input) in [
            ("a", "a", None),
            ("a%b", "a", Some("b\n")),
            ("a%", "a", Some("")),
            ("a%b%c", "a", Some("b\nc\n")),
            ("a\\%b", "a%b", None),
            ("a\\%b%c\\%d", "a%b", Some("c%d\n")),
            ("a\\\\%b", "a\\\\", Some("b\n")),
            ("a\\\\\\%b", "a\\\\%b", None),
            ("a%b\\\\%c", "a", Some("b\\%c\n")),
            ("a%b\\c", "a", Some("b\\c\n")),
            ("a%b\\", "a", Some("b\\\n")),
            ("a\\", "a\\", None),
            ("a%%b", "a", Some("\nb\n")),
            ("a%b%", "a", Some("b\n")),
            ("a%\\", "a", Some("\\")),
            ("a\\b%c", "a\\b", Some("c\n")),
            ("a%b\\\\", "a", Some("b\\\\\n")),
            ("a%\\\\\\\\x", "a", Some("\\\\\\\\x\n")),
        ] {
            let (read, rest) = split_input(line);
            assert_eq!((&*read, rest.as_ref().map(|(_, it)| &**it)), (command, input), "{line}");
            let at = rest.map(|(at, _)| line.as_bytes().get(at).copied());
            assert_eq!(at, input.map(|_| Some(b'%')), "{line}");
        }
    }

    #[test]
    fn variables_are_those_of_cronie() {
        for (line, expected) in [
            ("A=b", Some(("A", "b"))),
            ("A = b c  ", Some(("A", "b c"))),
            ("A=", Some(("A", ""))),
            ("A=b=c", Some(("A", "b=c"))),
            ("'A B' = ' c '", Some(("A B", " c "))),
            ("\"A\"='b\"c'", Some(("A", "b\"c"))),
            ("A=\"b\"  ", Some(("A", "b"))),
            ("A='b' c", None),
            ("A='b", None),
            ("A b=c", None),
            ("'A=b'=c", None),
            ("0 0 * * * a=b", None),
            ("@daily a=b", None),
            ("*/5 * * * * FOO=bar x", None),
        ] {
            let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(assignment(line), expected, "{line}");
        }
    }

    /// Returns the schedule and the name of the job in a line, or else the error message.
    fn entry(line: &str) -> Result<(String, String), String> {
        let (mut jobs, mut problems) = read(line, false, &TimeZone::UTC);
        let job = jobs.pop().map(|job| (job.text, job.name));
        job.ok_or_else(|| problems.remove(0).message)
    }

    #[test]
    fn seven_fields_are_seconds_to_year() {
        let job = |text: &str| Ok((text.to_owned(), "echo".to_owned()));
        // The first example of supercronic's README.
        assert_eq!(entry("*/5 * * * * * * echo \"hello\""), job("*/5 * * * * *"));
        assert_eq!(entry("0 */5 * * * 1-5 * echo hello"), job("0 */5 * * * 1-5"));
        for (line, year) in [
            ("0 0 12 1 1 * 2030 echo", "2030"),
            ("0 12 1 1 * 2030 echo", "2030"),
            ("0 12 1 1 * 2030-2035 echo", "2030-2035"),
            ("0 0 12 1 1 * */2 echo", "*/2"),
        ] {
            let expected = format!("`{year}` is a year, which a crontab does not have");
            assert_eq!(entry(line), Err(expected), "{line}");
        }
    }

    #[test]
    fn a_field_is_not_run_as_a_command() {
        for line in
            ["* * * * * *", "* * * * * * *", "* * * * * * * * x", "@daily * x", "@daily ? x"]
        {
            let error = entry(line).expect_err(line);
            assert!(error.starts_with("expected a command, found `"), "{error}");
        }
        for line in ["* * * * * 7z x", "* * * * * ./x *", "* * * * * [ -e x ]"] {
            assert!(entry(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_field_in_place_of_a_user_or_a_command_is_marked() {
        for (line, what) in [("@daily ? x", "a user"), ("@daily x ?", "a command")] {
            let (_, problems) = read(line, true, &TimeZone::UTC);
            let found = format!("expected {what}, found `?`, which looks like a field");
            assert_eq!(problems[0].message, found);
            assert_eq!(&line[problems[0].span.clone()], "?", "{line}");
        }
    }

    #[test]
    fn entries_may_not_each_have_very_many_variables() {
        let names: Vec<_> = (0..900).map(|index| format!("V{index}=x\n")).collect();
        let variables = names.concat();
        let entries = |count| format!("{variables}{}", "A=1\n* * * * * x\n".repeat(count));
        let (_, problems) = read(&entries(1_000), false, &TimeZone::UTC);
        assert!(problems.is_empty());
        let (_, problems) = read(&entries(1_200), false, &TimeZone::UTC);
        assert!(problems.iter().all(|problem| problem.rule == "environment"));
        assert!(!problems.is_empty());
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let text = "\u{feff}* * * * * x\n* * * * * y";
        let (jobs, _) = read(text, false, &TimeZone::UTC);
        let found: Vec<_> = jobs.iter().map(|job| &text[job.span.clone()]).collect();
        assert_eq!(found, ["* * * * *"; 2]);
    }
}
