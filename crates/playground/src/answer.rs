//! [`Answer`]: everything that the page shows about a text.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

use millicron::{
    Calendar, Language, NamedZone, ParseError, ParseErrorKind, Phrase, Reading, RecognizeError,
    Schedule, Zone, ZonedParseErrorKind, ZonedSchedule,
};
use millicron_pictures::{Picture as _, YearCalendar};
use serde::Serialize;

use crate::calendars;
use crate::clocks::Change;
use crate::problem::Problem;
use crate::times::{Event, local};

/// A question from the page.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    text: &'a str,
    calendars: &'a str,
    language: Option<Language>,
    zone: &'a str,
    now: i64,
    year: i32,
    width: u32,
}

/// The page's content.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// What is wrong with the text or the calendars.
    pub problem: Option<Box<Problem>>,
    /// The languages to choose from, if the text is ambiguous, or if it is not valid in the chosen language but in
    /// others.
    pub choices: Vec<Choice>,
    /// The schedules that the text may mean as a phrase, in the chosen language.
    pub offers: Vec<Offer>,
    /// What the schedule means, if the text is one.
    pub explanation: Option<Box<Explanation>>,
}

/// A language that reads the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Choice {
    /// The keyword of the language.
    pub keyword: &'static str,
    /// The name of the language.
    pub name: String,
    /// What the text means in this language.
    pub description: String,
}

/// A schedule that a phrase may mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Offer {
    /// The text of the schedule.
    pub text: String,
    /// What it means.
    pub description: String,
}

/// What a schedule means.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The keyword of the text's language.
    pub keyword: &'static str,
    /// The name of the text's language.
    pub language: String,
    /// When the schedule fires, in a sentence.
    pub description: String,
    /// How clock changes are handled, in a sentence.
    pub clocks: String,
    /// The time zone in the text, if it differs from the displayed one.
    pub zone: Option<String>,
    /// Up to ten upcoming events.
    pub events: Vec<Event>,
    /// The clock changes of the next two years, and how they affect the schedule.
    pub changes: Vec<Change>,
    /// The schedule in each language.
    pub writings: Vec<Writing>,
    /// The year of the picture.
    pub year: i32,
    /// The picture of the year, as SVG.
    pub calendar: String,
    /// What the picture shows, month by month.
    pub months: [Month; 12],
}

/// A month of the year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Month {
    /// The number of days with events.
    pub days: u32,
    /// The number of events.
    pub events: u64,
}

/// A schedule written in a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Writing {
    /// The keyword of the language.
    pub keyword: &'static str,
    /// The name of the language.
    pub language: String,
    /// The text, if the language can express the schedule.
    pub text: Option<String>,
    /// What the language lacks, if it cannot.
    pub missing: Option<String>,
}

impl<'a> Question<'a> {
    /// Creates a question from the page's values; see [`answer`](crate::answer()).
    #[must_use]
    pub fn new(
        text: &'a str,
        calendars: &'a str,
        language: &str,
        zone: &'a str,
        now: f64,
        year: i32,
        width: u32,
    ) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a clock in whole milliseconds; others saturate"
        )]
        let now = now as i64;
        let language = Language::with_keyword(language);
        Self { text, calendars, language, zone, now, year, width }
    }
}

impl Answer {
    /// Answers a question, with time zones of any type.
    #[must_use]
    pub fn new<Z: NamedZone + Clone>(question: &Question<'_>) -> Self {
        match Explanation::of::<Z>(question) {
            Ok(explanation) => Self { explanation: Some(Box::new(explanation)), ..Self::default() },
            Err(answer) => answer,
        }
    }

    /// Reports a problem at a byte range of the text.
    fn wrong(
        question: &Question<'_>,
        message: String,
        span: Range<usize>,
        hint: Option<String>,
    ) -> Self {
        Problem { hint, ..Problem::new(question.text, span, message) }.into()
    }

    /// Adds the schedules that the text up to `end` may mean as a phrase. A time zone may follow.
    fn with_offers(
        mut self,
        question: &Question<'_>,
        calendars: &BTreeMap<String, Calendar>,
        end: usize,
    ) -> Self {
        let (phrase, zone) = question.text.split_at_checked(end).unwrap_or_default();
        let Some(phrase) = Phrase::recognize(phrase) else { return self };
        let zone = Some(zone.trim()).filter(|zone| !zone.is_empty());
        let language = question.language.unwrap_or(Language::Millicron);
        let offers = phrase.schedules_with(calendars);
        self.offers = offers.map(|schedule| Offer::new(&schedule, language, zone)).collect();
        let advice = phrase.to_string();
        // The message contains it, unless the text is long.
        let problem = self.problem.as_mut().filter(|it| !it.message.ends_with(&advice));
        if let Some(problem) = problem {
            problem.hint = Some(advice);
        }
        self
    }
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Self {
        Self { problem: Some(Box::new(problem)), ..Self::default() }
    }
}

/// Reads the text in the chosen language, or else in the recognized one.
fn read<'a, Z: NamedZone>(
    question: &Question<'a>,
    calendars: &BTreeMap<String, Calendar>,
) -> Result<Reading<'a>, Answer> {
    let wrong = |error: &ParseError, hint| {
        let hint = match error.kind() {
            ParseErrorKind::UnknownCalendar => {
                let name = question.text.get(error.span()).unwrap_or_default();
                Some(format!("Write its days under Calendars, below a line `[{name}]`."))
            }
            _ => hint,
        };
        let answer = Answer::wrong(question, error.plain().to_string(), error.span(), hint);
        if !matches!(error.kind(), ParseErrorKind::Phrase) {
            return answer;
        }
        match ZonedSchedule::<Z>::parse(question.text) {
            Err(error) if !matches!(error.kind(), ZonedParseErrorKind::Schedule(_)) => {
                Answer::wrong(question, error.to_string(), error.span(), None)
            }
            _ => answer.with_offers(question, calendars, error.span().end),
        }
    };
    let Some(language) = question.language else {
        return Language::recognize_with(question.text, calendars).map_err(|error| match error {
            RecognizeError::Ambiguous(readings) => {
                Answer { choices: readings.iter().map(Choice::new).collect(), ..Answer::default() }
            }
            RecognizeError::Unreadable { error, .. }
                if matches!(error.kind(), ParseErrorKind::Phrase) =>
            {
                wrong(&error, None)
            }
            RecognizeError::Unreadable { language, error } => {
                wrong(&error, Some(format!("Read as {language}, which it resembles most.")))
            }
            error => Answer::wrong(question, error.to_string(), 0..question.text.len(), None),
        });
    };
    let read = |language: Language| language.read_with(question.text, calendars);
    read(language).map_err(|error| {
        let readings = Language::ALL.into_iter().filter_map(|language| read(language).ok());
        let choices: Vec<_> = readings.map(|it| Choice::new(&it)).collect();
        let hint = || format!("That is how {language} reads it. Choose another:");
        let answer = wrong(&error, (!choices.is_empty()).then(hint));
        Answer { choices, ..answer }
    })
}

/// Puts the schedule in the time zone that the text names, or else in the displayed one.
fn in_zone<Z: NamedZone + Clone>(
    question: &Question<'_>,
    reading: &Reading<'_>,
    calendars: &BTreeMap<String, Calendar>,
    shown: &Z,
) -> Result<ZonedSchedule<Z>, Answer> {
    if reading.zone.is_none() {
        return Ok(reading.schedule.clone().in_zone(shown.clone()));
    }
    let zoned = match reading.language {
        Language::Dialect(dialect) => dialect.parse_zoned(question.text),
        _ => ZonedSchedule::parse_with(question.text, calendars),
    };
    zoned.map_err(|error| Answer::wrong(question, error.to_string(), error.span(), None))
}

impl Offer {
    fn new(schedule: &Schedule, language: Language, zone: Option<&str>) -> Self {
        let text = language.write(schedule, zone).unwrap_or_else(|_| schedule.to_string());
        Self { text, description: language.describe(schedule).to_string() }
    }
}

impl Choice {
    fn new(reading: &Reading<'_>) -> Self {
        Self {
            keyword: reading.language.keyword(),
            name: reading.language.to_string(),
            description: reading.language.describe(&reading.schedule).to_string(),
        }
    }
}

impl Explanation {
    /// Reads a text, and explains the schedule unless there is a problem or a choice.
    fn of<Z: NamedZone + Clone>(question: &Question<'_>) -> Result<Self, Answer> {
        let calendars = calendars::read(question.calendars)?;
        let reading = read::<Z>(question, &calendars)?;
        let shown = Z::named(question.zone).or_else(|| Z::named("UTC")).ok_or_else(|| {
            Answer::wrong(question, format!("unknown time zone `{}`", question.zone), 0..0, None)
        })?;
        let schedule = in_zone(question, &reading, &calendars, &shown)?;
        Ok(Self::new(question, &reading, &calendars, &schedule, &shown))
    }

    fn new<Z: Zone>(
        question: &Question<'_>,
        reading: &Reading<'_>,
        calendars: &BTreeMap<String, Calendar>,
        schedule: &ZonedSchedule<Z>,
        shown: &Z,
    ) -> Self {
        let now = question.now;
        let zone = schedule.zone().name();
        let description = reading.language.describe(&reading.schedule);
        // Only the last sentence is used: the others ignore the language.
        let described = schedule.describe().to_string();
        let (_, clocks) = described.rsplit_once('.').unwrap_or_default();
        let current = || local(now, shown).year();
        let year = if question.year == 0 { current() } else { question.year }.clamp(2000, 2100);
        let first = schedule.next_event(now);
        let events = iter::successors(first, |event| schedule.next_event(*event)).take(10);
        let mut calendar = YearCalendar::new(schedule, shown, year, question.text.trim());
        if let Some((name, days)) =
            reading.schedule.calendar().and_then(|name| calendars.get_key_value(name))
        {
            calendar = calendar.closed_outside(days, name);
        }
        Self {
            keyword: reading.language.keyword(),
            language: reading.language.to_string(),
            description: format!("{description}, in {}.", zone.unwrap_or("local time")),
            clocks: format!("{}.", clocks.trim_start()),
            zone: zone.filter(|name| Some(*name) != shown.name()).map(str::to_owned),
            events: Event::list(&events.collect::<Vec<_>>(), shown, now),
            changes: Change::list(schedule, now),
            writings: Language::ALL.map(|it| Writing::new(it, reading)).into(),
            year,
            calendar: calendar.to_svg(question.width),
            months: months(&calendar),
        }
    }
}

/// Sums up the months of a calendar.
fn months(calendar: &YearCalendar) -> [Month; 12] {
    let mut months = [Month::default(); 12];
    for (date, count) in calendar.days() {
        if let Some(month) = months.get_mut(usize::from(date.month()).wrapping_sub(1)) {
            month.days += u32::from(count > 0);
            month.events = month.events.saturating_add(count);
        }
    }
    months
}

impl Writing {
    fn new(language: Language, reading: &Reading<'_>) -> Self {
        let written = language.write(&reading.schedule, reading.zone);
        let (text, missing) = match written {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Self { keyword: language.keyword(), language: language.to_string(), text, missing }
    }
}
