//! The arguments of `millicron schedules`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Subcommand};
use millicron_scheduler::Missed;
use serde_json::Value;

use crate::file::duration;
use crate::query::calendars::CalendarArguments;
use crate::query::schedule::ScheduleArguments;
use crate::times::{Time, positive};

/// The database of a command.
#[derive(Args, Debug)]
pub(crate) struct DatabaseArguments {
    /// The database, such as `postgres://app@localhost/app` or `sqlite:schedules.db` [default: the variable
    /// `DATABASE_URL`]
    // clap's own variables would show the value, which may have a password, in the help.
    #[arg(long = "database", value_name = "URL", global = true)]
    pub(crate) url: Option<DatabaseUrl>,

    /// The schema of the tables; in SQLite, what their names begin with
    #[arg(long, value_name = "NAME", global = true, default_value = "millicron")]
    pub(crate) schema: String,
}

/// A URL, of which only the scheme is ever shown, because it may have a password.
#[derive(Clone)]
pub(crate) struct DatabaseUrl(pub(crate) String);

impl FromStr for DatabaseUrl {
    type Err = std::convert::Infallible;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        Ok(Self(url.to_owned()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, _) = self.0.split_once(':').unwrap_or_default();
        write!(f, "{scheme}:…")
    }
}

/// What to do with schedules.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    List(List),
    Show(Show),
    Put(Box<Put>),
    /// Pause schedules: they have no events until they are resumed
    ///
    /// Writes how many were not paused before.
    #[command(after_help = "\
Examples:
  millicron schedules pause report/7
  millicron schedules pause --tag customer-7")]
    Pause(SelectionArguments),
    /// Resume paused schedules; events from the time in which they were paused are left out
    ///
    /// Writes how many were paused.
    #[command(after_help = "\
Examples:
  millicron schedules resume report/7
  millicron schedules resume --tag customer-7")]
    Resume(SelectionArguments),
    /// Run tasks of schedules now, even if these are paused
    #[command(after_help = "\
Examples:
  millicron schedules trigger report/7
  millicron schedules trigger --tag customer-7")]
    Trigger(SelectionArguments),
    /// Remove schedules; events that have passed still become tasks
    #[command(after_help = "\
Examples:
  millicron schedules remove report/7
  millicron schedules remove --tag customer-7")]
    Remove(SelectionArguments),
}

/// List schedules, by their names or, with --due-before, by their next events
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron schedules list --database sqlite:schedules.db
  millicron schedules list --tag customer-7 --all
  millicron schedules list --failed --json
  millicron schedules list --due-before 'in 1 hour' --zone Europe/Berlin")]
pub(crate) struct List {
    /// Only schedules with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,

    /// Only schedules whose names begin with this
    #[arg(long)]
    pub(crate) prefix: Option<String>,

    /// Only schedules that are paused
    #[arg(long)]
    pub(crate) paused: bool,

    /// Only schedules with an error, which have no events
    #[arg(long)]
    pub(crate) failed: bool,

    /// Only schedules whose next event is before this time, or is not known yet
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) due_before: Option<Time>,

    /// How many schedules
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = positive)]
    pub(crate) limit: usize,

    /// List all schedules
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,

    /// The time zone in which times are shown [default: each schedule's], and read [default: this machine's]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, aliases = ["tz", "timezone"])]
    pub(crate) zone: Option<String>,
}

/// Show all about a schedule: its settings, its state, and its next events
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron schedules show report/7
  millicron schedules show report/7 --calendar nyse.days --json")]
pub(crate) struct Show {
    /// The name of the schedule
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// How many upcoming events to show
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 3, value_parser = positive)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) number: usize,

    /// The time zone in which times are shown [default: the schedule's]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, aliases = ["tz", "timezone"])]
    pub(crate) zone: Option<String>,

    #[command(flatten)]
    pub(crate) calendars: CalendarArguments,
}

/// Create a schedule, or change the one with the same name
///
/// A setting that is left out has its default, whatever it was before, but a paused schedule stays paused. Events that
/// have passed belong to the schedule as it was before.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron schedules put report/7 '0 9 * * MON-FRI' --zone Europe/Berlin --tag customer-7
  millicron schedules put cleanup '*:*/10:00' --payload '{\"days\": 7}' --missed skip
  millicron schedules put open '09:30:00 @nyse America/New_York' --calendar nyse.days
  millicron schedules put close '17:00:00' --calendar nyse.days --in-calendar nyse")]
#[command(mut_arg("zone", |zone| zone.help(PUT_ZONE)))]
pub(crate) struct Put {
    /// The name of the schedule
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) schedule: ScheduleArguments,

    /// Have events only on days of this calendar; may be repeated
    #[arg(long = "in-calendar", value_name = "NAME")]
    pub(crate) in_calendars: Vec<String>,

    /// The payload of the tasks [default: null]
    #[arg(long, value_name = "JSON", value_parser = payload, allow_hyphen_values = true)]
    pub(crate) payload: Option<Value>,

    /// What happens to missed events: skip, coalesce (one task for all), all, or all=NUMBER (the last ones)
    #[arg(long, value_name = "POLICY", default_value = "coalesce", value_parser = missed)]
    pub(crate) missed: Missed,

    /// How long after its time an event may still become a task
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) catch_up: Duration,

    /// The first time that may be an event
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) starts: Option<Time>,

    /// The last time that may be an event
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) ends: Option<Time>,

    /// A tag, by which schedules are found; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,

    /// Change only this version; 0 creates a schedule, and changes none
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) version: Option<i64>,
}

const PUT_ZONE: &str =
    "The time zone: a name such as Europe/Berlin [default: the schedule's, or UTC]";

/// The schedules that a command changes.
#[derive(Args, Debug)]
pub(crate) struct SelectionArguments {
    /// The name of the schedule
    #[arg(value_name = "NAME", required_unless_present = "tag", conflicts_with = "tag")]
    pub(crate) name: Option<String>,

    /// All schedules with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
}

/// Parses a payload.
fn payload(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| {
        format!("not JSON: {error}; write '{{\"days\": 7}}', or a text as '\"text\"'")
    })
}

/// Parses a policy for missed events.
fn missed(text: &str) -> Result<Missed, &'static str> {
    match text {
        "skip" => Ok(Missed::Skip),
        "coalesce" => Ok(Missed::Coalesce),
        "all" => Ok(Missed::All { max: usize::MAX }),
        _ => {
            let max = text.strip_prefix("all=").and_then(|max| positive(max).ok());
            max.map(|max| Missed::All { max })
                .ok_or("write `skip`, `coalesce`, `all`, or `all=` with a number, 1 or more")
        }
    }
}
