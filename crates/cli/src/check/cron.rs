//! What cron refuses, or reads in another way than `millicron run`.

use std::ops::Range;

use jiff::Timestamp;
use millicron::{Dialect, Field, Language};

use super::subject::Fields;
use crate::file::{FileFormat, JobFile, Problem};

/// Finds what cron refuses, or reads in another way.
pub(super) fn not_cron(file: &JobFile, _: Timestamp) -> Vec<Problem> {
    if file.format != FileFormat::Crontab {
        return Vec::new();
    }
    let text = &file.text;
    let warning = |span, message: &str| Problem::warning("not-cron", span, message);
    let mut problems = Vec::new();
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    if mark > 0 {
        let message = "cron takes the byte order mark for a part of the first line";
        problems.push(warning(0..mark, message).hint("save the file without it"));
    }
    if let Some(end) = text.find("\r\n") {
        let message = "cron takes the carriage returns of Windows for a part of each line";
        let problem = warning(line_start(text, end)..end, message);
        problems.push(problem.hint("save the file with the line ends of Unix"));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        let message = "cron refuses a crontab whose last line has no line end";
        problems.push(warning(line_start(text, text.len())..text.len(), message));
    }
    for job in &file.jobs {
        let Ok(fields) = Fields::read(job.language, &job.text, &()) else { continue };
        let Some((field, span)) = unknown_item(&fields) else { continue };
        let item = &job.text[span.clone()];
        let message = format!("cron does not know `{item}`, and may refuse the whole crontab");
        let problem = warning(job.span.start + span.start..job.span.start + span.end, &message);
        problems.push(problem.maybe_hint(bounded_step(field, item)));
    }
    problems
}

/// Returns why cron does not take a schedule of a crontab as it is meant.
pub(crate) fn cron_refusal(text: &str) -> Option<String> {
    let fields = Fields::read(Language::Dialect(Dialect::Crontab), text, &()).ok()?;
    if fields.get(Field::Second).is_some() {
        return Some("cron has no seconds: it takes the sixth field for the command".to_owned());
    }
    let (_, span) = unknown_item(&fields)?;
    Some(format!("cron does not know `{}`, and may refuse the whole crontab", &text[span]))
}

/// Returns where the line of a byte starts.
fn line_start(text: &str, byte: usize) -> usize {
    text[..byte].rfind('\n').map_or(0, |end| end + 1)
}

/// Returns the first item of a crontab's schedule that cron does not know.
fn unknown_item(fields: &Fields<'_>) -> Option<(Field, Range<usize>)> {
    use Field::{Day, Hour, Minute, Month, Weekday};

    [Minute, Hour, Day, Month, Weekday].into_iter().find_map(|field| {
        let mut start = fields.span(field)?.start;
        let item = fields.get(field)?.split(',').find(|item| {
            let is_known = is_known(field, item);
            start += if is_known { item.len() + 1 } else { 0 };
            !is_known
        })?;
        Some((field, start..start + item.len()))
    })
}

fn is_known(field: Field, item: &str) -> bool {
    let is_relative = match field {
        Field::Day => item.contains(['L', 'l', 'W', 'w']),
        Field::Weekday => item.contains(['L', 'l', '#']),
        _ => false,
    };
    !is_relative && unbounded_step(item).is_none()
}

/// Returns the first value and the step of `5/15`.
fn unbounded_step(item: &str) -> Option<(&str, &str)> {
    item.split_once('/').filter(|(first, _)| *first != "*" && !first.contains('-'))
}

/// Returns how to write `5/15` for cron, as a hint.
fn bounded_step(field: Field, item: &str) -> Option<String> {
    let (first, step) = unbounded_step(item).filter(|_| field != Field::Weekday)?;
    let last = field.max_value().min(if field == Field::Day { 31 } else { 59 });
    Some(format!("write `{first}-{last}/{step}`"))
}

/// Finds a variable that many take for the time zone of the schedules.
pub(super) fn tz_variable(file: &JobFile, _: Timestamp) -> Vec<Problem> {
    let found = file.jobs.iter().filter(|_| file.format == FileFormat::Crontab).find_map(|job| {
        let mut variables = job.command.as_ref()?.shared_environment.iter();
        let (_, zone) = variables.find(|(name, _)| name == "TZ")?;
        let is_other = job.schedule.zone().iana_name() != Some(zone);
        Some((job.tz_span.clone()?, zone)).filter(|_| is_other)
    });
    let problem = found.map(|(span, zone)| {
        let message = format_args!("`TZ={zone}` is for the command, and not for its schedule");
        let hint = format_args!("write `CRON_TZ={zone}` for the schedules below it");
        Problem::warning("tz-variable", span, message).hint(hint)
    });
    problem.into_iter().collect()
}
