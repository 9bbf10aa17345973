//! Expressions in other dialects: some were taken from manuals or written to find differences, and the
//! others are generated at random from a fixed seed.

use std::collections::HashSet;

/// Returns expressions of a dialect, without repetitions.
///
/// # Panics
///
/// Panics if the dialect is not `crontab`, `extended`, `quartz`, `cron` or `systemd`.
#[must_use]
pub fn corpus(dialect: &str) -> Vec<String> {
    let (written, random): (&str, fn(&mut Random) -> String) = match dialect {
        "crontab" => (include_str!("../dialects/written/crontab.txt"), crontab),
        "extended" => (include_str!("../dialects/written/extended.txt"), extended),
        "quartz" => (include_str!("../dialects/written/quartz.txt"), quartz),
        "cron" => (include_str!("../dialects/written/cron.txt"), cron),
        "systemd" => (include_str!("../dialects/written/systemd.txt"), systemd),
        _ => panic!("no dialect has the name {dialect}"),
    };
    let mut source = Random(0x6d69_6c6c_6963_726f);
    let made = std::iter::from_fn(|| {
        let expression = random(&mut source);
        // One in ten has a typing error.
        Some(if source.chance(10) { source.mistyped(&expression) } else { expression })
    });
    let mut seen = HashSet::new();
    let written = written.lines().map(str::to_owned);
    written.chain(made).filter(|one| seen.insert(one.clone())).take(SIZE).collect()
}

/// The number of expressions in a corpus.
pub const SIZE: usize = 600;

/// The `SplitMix64` generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn within(&mut self, low: u32, high: u32) -> u32 {
        let count = u64::from(high - low) + 1;
        low + u32::try_from(self.next() % count).expect("at most `high`")
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.within(1, 100) <= percent
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.within(1, choices.len().try_into().expect("few choices")) as usize - 1]
    }

    /// Replaces, inserts or deletes a character.
    fn mistyped(&mut self, expression: &str) -> String {
        let mut characters: Vec<char> = expression.chars().collect();
        let last = u32::try_from(characters.len() - 1).expect("a short expression");
        let at = self.within(0, last) as usize;
        let typed = self.pick(&["0", "1", "5", "9", "*", "/", "-", ",", "?", "L", "#", "A", "."]);
        match self.within(1, 3) {
            1 => characters.splice(at..=at, typed.chars()).for_each(drop),
            2 => characters.splice(at..at, typed.chars()).for_each(drop),
            _ => drop(characters.remove(at)),
        }
        characters.into_iter().collect::<String>().trim().to_owned()
    }
}

/// A field of a dialect.
#[derive(Clone, Copy)]
struct Field {
    low: u32,
    high: u32,
    /// The names of the values, starting with `low`.
    names: &'static [&'static str],
    /// The separator between the ends of a range.
    to: &'static str,
    /// Whether ranges may descend.
    wraps: bool,
    /// Whether `*/n` and `a/n` exist.
    star_steps: bool,
    point_steps: bool,
}

const MINUTE: Field = Field {
    low: 0,
    high: 59,
    names: &[],
    to: "-",
    wraps: false,
    star_steps: true,
    point_steps: false,
};
const HOUR: Field = Field { high: 23, ..MINUTE };
const DAY: Field = Field { low: 1, high: 31, ..MINUTE };
const MONTH: Field = Field {
    low: 1,
    high: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    ..MINUTE
};
const WEEKDAYS: &[&str] = &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const WEEKDAY: Field = Field { low: 0, high: 6, names: WEEKDAYS, ..MINUTE };
const YEAR: Field = Field { low: 2000, high: 2099, ..MINUTE };

impl Field {
    /// Returns the field as in Quartz: weekdays are 1-7, and `a/n` exists.
    const fn quartz(self, wraps: bool) -> Self {
        let is_weekday = self.low == 0 && self.high == 6;
        let (low, high) = if is_weekday { (1, 7) } else { (self.low, self.high) };
        Self { low, high, wraps, point_steps: true, ..self }
    }

    fn number(self, random: &mut Random) -> String {
        let value = random.within(self.low, self.high);
        if random.chance(10) { format!("{value:02}") } else { value.to_string() }
    }

    fn name(self, random: &mut Random) -> String {
        let name = random.pick(self.names);
        match random.within(1, 4) {
            1 | 2 => name.to_owned(),
            3 => name.to_ascii_lowercase(),
            _ => name[..1].to_owned() + &name[1..].to_ascii_lowercase(),
        }
    }

    fn ends(self, random: &mut Random) -> String {
        let (a, b) = (random.within(self.low, self.high), random.within(self.low, self.high));
        let (from, to) =
            if self.wraps && random.chance(30) { (a, b) } else { (a.min(b), a.max(b)) };
        if self.names.is_empty() || random.chance(50) {
            return format!("{from}{}{to}", self.to);
        }
        format!("{}{}{}", self.named(from), self.to, self.named(to))
    }

    fn named_ends(self, random: &mut Random) -> String {
        let (a, b) = (random.within(self.low, self.high), random.within(self.low, self.high));
        format!("{}{}{}", self.named(a.min(b)), self.to, self.named(a.max(b)))
    }

    fn named(self, value: u32) -> &'static str {
        self.names[(value - self.low) as usize]
    }

    fn step(self, random: &mut Random) -> u32 {
        let span = self.high - self.low;
        let longest = if random.chance(80) { span.min(12) } else { span };
        random.within(1, longest)
    }

    fn item(self, random: &mut Random) -> String {
        let has_names = !self.names.is_empty();
        match random.within(1, 20) {
            1..=4 if has_names => self.name(random),
            1..=8 => self.number(random),
            9..=13 => self.ends(random),
            14..=16 if self.star_steps => format!("*/{}", self.step(random)),
            17 | 18 if self.point_steps => {
                format!("{}/{}", self.number(random), self.step(random))
            }
            _ => {
                let from = random.within(self.low, self.low.midpoint(self.high));
                format!("{from}{}{}/{}", self.to, self.high, self.step(random))
            }
        }
    }

    fn list(self, random: &mut Random) -> String {
        let count = [1, 1, 1, 1, 2, 3][random.within(0, 5) as usize];
        let items: Vec<_> = (0..count).map(|_| self.item(random)).collect();
        items.join(",")
    }

    /// Returns a star with a probability of `stars` percent, and otherwise one value or a list.
    fn field(self, random: &mut Random, stars: u32) -> String {
        if random.chance(stars) {
            "*".to_owned()
        } else if random.chance(40) {
            self.number(random)
        } else {
            self.list(random)
        }
    }
}

fn crontab(random: &mut Random) -> String {
    let numbered = Field { high: 7, names: &[], ..WEEKDAY };
    let weekday = if random.chance(20) { numbered } else { WEEKDAY };
    let days = [DAY.field(random, 50), MONTH.field(random, 60), weekday.field(random, 50)];
    format!("{} {} {}", MINUTE.field(random, 10), HOUR.field(random, 20), days.join(" "))
}

/// Returns an expression with the additions of croner and saffron to crontab: seconds, and days relative
/// to the month.
fn extended(random: &mut Random) -> String {
    let mut time = format!("{} {}", MINUTE.field(random, 10), HOUR.field(random, 20));
    if random.chance(40) {
        time = format!("{} {time}", MINUTE.field(random, 10));
    }
    let month = MONTH.field(random, 60);
    let (day, weekday) = match random.within(1, 5) {
        1 | 2 => (relative_day(random, 30), "*".to_owned()),
        3 => ("*".to_owned(), relative_weekday(random, WEEKDAY)),
        // Where both are restricted, implementations disagree about a field that begins with a star.
        4 => {
            let day = Field { star_steps: false, ..DAY };
            (day.field(random, 20), relative_weekday(random, WEEKDAY))
        }
        _ => {
            let [day, weekday] = [DAY, WEEKDAY].map(|field| Field { star_steps: false, ..field });
            (day.field(random, 40), weekday.field(random, 40))
        }
    };
    format!("{time} {day} {month} {weekday}")
}

fn relative_day(random: &mut Random, most: u32) -> String {
    match random.within(1, 6) {
        1 => "L".to_owned(),
        2 => "LW".to_owned(),
        3 => format!("L-{}", random.within(1, most)),
        4 => format!("L-{}W", random.within(1, most)),
        _ => format!("{}W", random.within(1, 31)),
    }
}

fn relative_weekday(random: &mut Random, field: Field) -> String {
    let day = if random.chance(50) { field.name(random) } else { field.number(random) };
    let what = ["L", "#1", "#2", "#3", "#4", "#5"][random.within(0, 5) as usize];
    day + what
}

fn quartz(random: &mut Random) -> String {
    let [minute, hour, day, month, weekday] =
        [MINUTE, HOUR, DAY, MONTH, WEEKDAY].map(|field| field.quartz(true));
    let time = [minute.field(random, 5), minute.field(random, 10), hour.field(random, 20)];
    let month = month.field(random, 60);
    let (day, weekday) = match random.within(1, 4) {
        1 => (relative_day(random, 27), "?".to_owned()),
        2 => (day.field(random, 30), "?".to_owned()),
        3 => ("?".to_owned(), relative_weekday(random, weekday)),
        _ => ("?".to_owned(), weekday.field(random, 20)),
    };
    format!("{} {day} {month} {weekday}{}", time.join(" "), year(random))
}

fn year(random: &mut Random) -> String {
    if random.chance(70) {
        return String::new();
    }
    let years = Field { point_steps: true, ..YEAR };
    format!(" {}", years.field(random, 20))
}

fn cron(random: &mut Random) -> String {
    let long = &["Sunday", "MON", "Tues", "wed", "Thursday", "fri", "SAT"];
    let [minute, hour, day, month, weekday] =
        [MINUTE, HOUR, DAY, MONTH, Field { names: long, ..WEEKDAY }]
            .map(|field| field.quartz(false));
    let time = [minute.field(random, 5), minute.field(random, 10), hour.field(random, 20)];
    let day = if random.chance(10) { "?".to_owned() } else { day.field(random, 50) };
    let weekday = if random.chance(10) { "?".to_owned() } else { weekday.field(random, 50) };
    let month = month.field(random, 60);
    format!("{} {day} {month} {weekday}{}", time.join(" "), year(random))
}

fn systemd(random: &mut Random) -> String {
    let dots = |field: Field| Field {
        names: &[],
        to: "..",
        star_steps: false,
        point_steps: true,
        ..field
    };
    let weekday = Field {
        names: &["Mon", "Tuesday", "WED", "Thu", "friday", "Sat", "Sun"],
        to: random.pick(&["..", "..", "-"]),
        star_steps: false,
        ..WEEKDAY
    };
    let mut parts = vec![];
    if random.chance(40) {
        let count = random.within(1, 3);
        let names = (0..count).map(|_| {
            if random.chance(60) { weekday.name(random) } else { weekday.named_ends(random) }
        });
        parts.push(names.collect::<Vec<_>>().join(","));
    }
    if random.chance(70) {
        let from_end = random.chance(25);
        let days = Field { high: 28, ..dots(DAY) };
        let day = if from_end { days } else { dots(DAY) }.field(random, 25);
        let month = dots(MONTH).field(random, 50);
        let year = if random.chance(50) {
            dots(Field { high: 2100, ..YEAR }).field(random, 60) + "-"
        } else {
            String::new()
        };
        parts.push(format!("{year}{month}{}{day}", if from_end { "~" } else { "-" }));
    }
    if parts.is_empty() || random.chance(80) {
        let time = format!("{}:{}", dots(HOUR).field(random, 20), dots(MINUTE).field(random, 15));
        let seconds = match random.within(1, 5) {
            1 | 2 => String::new(),
            3 | 4 => ":".to_owned() + &dots(MINUTE).field(random, 10),
            _ => format!(":{}.{}", random.within(0, 59), random.within(1, 999)),
        };
        parts.push(time + &seconds);
    }
    parts.join(" ")
}
