//! [`FileArguments`]: the job file on the command line.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jiff::tz::TimeZone;

use super::text::read_bytes;
use super::{JobFile, MOST_BYTES, ReadOptions};
use crate::error::Error;
use crate::times::time_zone;

/// The job file of a command, and how to read it.
#[derive(Args, Debug)]
pub(crate) struct FileArguments {
    /// The job file: TOML, a crontab or a systemd timer; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

/// How to read job files.
#[derive(Args, Debug)]
pub(crate) struct ReadArguments {
    /// The format of the file [default: recognized]
    #[arg(long = "as", value_name = "FORMAT")]
    file_format: Option<FileFormat>,

    /// The time zone of jobs without one [default: this machine's]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, aliases = ["tz", "timezone"])]
    zone: Option<String>,

    /// The crontab has a user before each command, as in /etc/crontab
    #[arg(long)]
    users: bool,
}

/// The hint for `--users` without a crontab.
pub(crate) const USERS_HINT: &str = "leave it out, or add --as crontab";

/// The format of a job file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// A crontab
    Crontab,
    /// A timer unit of systemd
    Timer,
    /// TOML
    Toml,
}

impl FileFormat {
    /// Whether a file of a directory has jobs, by its name, and if it is TOML by its tables. If it cannot be read or is too
    /// large, it may.
    pub(crate) fn is_of_jobs(path: &Path) -> bool {
        match Self::by_extension(path) {
            Some(Self::Toml) => read_bytes(path, MOST_BYTES).map_or(true, |bytes| {
                if bytes.len() as u64 > MOST_BYTES {
                    return true;
                }
                let text = String::from_utf8_lossy(&bytes);
                let (table, _) = toml::de::DeTable::parse_recoverable(&text);
                table.get_ref().get("jobs").is_some_and(|jobs| jobs.get_ref().is_table())
            }),
            Some(_) => true,
            None => path.file_name().is_some_and(|name| name == "crontab"),
        }
    }

    fn by_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "toml" => Some(Self::Toml),
            "timer" => Some(Self::Timer),
            "cron" | "crontab" => Some(Self::Crontab),
            _ => None,
        }
    }

    /// Recognizes the format by the path, or else by the text.
    pub(crate) fn recognize(path: &Path, text: &str) -> Self {
        if let Some(format) = Self::by_extension(path) {
            return format;
        }
        let text = text.trim_start_matches('\u{feff}');
        let is_content = |line: &&str| !line.is_empty() && !line.starts_with(['#', ';']);
        let first = text.lines().map(str::trim).find(is_content).unwrap_or_default();
        match first {
            "[Unit]" | "[Timer]" | "[Install]" => Self::Timer,
            _ if is_toml(text) => Self::Toml,
            _ => Self::Crontab,
        }
    }
}

/// Whether a text has a table header or the key `jobs`. No line of a crontab begins with a bracket.
fn is_toml(text: &str) -> bool {
    let is_header = |line: &str| {
        let rest = line.trim_start().strip_prefix('[');
        rest.is_some_and(|rest| !rest.starts_with(char::is_whitespace))
    };
    text.lines().any(is_header)
        || toml::de::DeTable::parse(text).is_ok_and(|table| table.get_ref().contains_key("jobs"))
}

impl FileArguments {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or has errors.
    pub(crate) fn read(&self) -> Result<JobFile, Error> {
        self.load()?.checked()
    }

    /// Reads the file, which may have errors.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or is no crontab although it is said to have users.
    pub(crate) fn load(&self) -> Result<JobFile, Error> {
        let options = self.reading.options()?;
        let file = JobFile::load(&self.file, &options)?;
        if options.has_users.is_some() && file.format != FileFormat::Crontab {
            let path = file.path.display();
            return Err(Error::new(format_args!("--users is for crontabs, and {path} is not one"))
                .hint(USERS_HINT));
        }
        Ok(file)
    }
}

impl ReadArguments {
    pub(crate) fn options(&self) -> Result<ReadOptions, Error> {
        let zone = time_zone(self.zone.as_deref())?;
        Ok(ReadOptions { format: self.file_format, zone, has_users: self.users.then_some(true) })
    }

    /// Returns the time zone in which times are shown: `--zone`, or else the time zone that all jobs share, or else
    /// the machine's.
    pub(crate) fn shown_zone(&self, file: &JobFile) -> Result<TimeZone, Error> {
        let mut zones = file.jobs.iter().map(|job| job.schedule.zone());
        let first = zones.next().filter(|first| zones.all(|zone| zone == *first));
        match first.filter(|_| self.zone.is_none()) {
            Some(zone) => Ok(zone.clone()),
            None => time_zone(self.zone.as_deref()),
        }
    }
}
