//! The fields of a crontab's line.

use std::ops::Range;

use super::super::problem::Problem;

/// Returns how many words of a line are its schedule.
///
/// cron reads five fields. Six begin with seconds, and seven also end with a year, as in supercronic, which takes the
/// sixth of six fields for the year.
pub(super) fn fields(line: &str, has_users: bool) -> usize {
    if line.starts_with('@') {
        return 1;
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let has_command = |count: usize| words.len() > count + usize::from(has_users);
    let sixth = words.get(5).is_some_and(|word| is_field(word) || is_weekdays(word));
    let seventh = words.get(6).is_some_and(is_field);
    match (sixth, seventh) {
        (true, true) if has_command(7) => 7,
        (true, _) if has_command(6) => 6,
        _ => 5,
    }
}

/// Whether a word could be a field of a schedule rather than a program: it has neither letters nor a slash before a
/// name.
pub(super) fn is_field(word: &&str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '*' || c == '?')
        && word.bytes().all(|byte| byte.is_ascii_digit() || b"*/,-#L?".contains(&byte))
}

/// Returns the fields of a schedule without the year, which must allow all years.
pub(super) fn without_year<'t>(
    text: &'t str,
    count: usize,
    span: &Range<usize>,
) -> Result<&'t str, Problem> {
    let last = text.rsplit([' ', '\t']).next().unwrap_or_default();
    let is_year = count == 7 && last != "*"
        || count == 6 && last.split(['-', ',', '/']).any(|part| part.len() == 4 && is_field(&part));
    if is_year {
        let message = format_args!("`{last}` is a year, which a crontab does not have");
        let span = span.end - last.len()..span.end;
        return Err(Problem::error("schedule", span, message).hint(
            "only supercronic reads years: write `schedule = \"2030.1.1 12:00:00\"` in TOML",
        ));
    }
    Ok(if count == 7 { split_words(text, 6).0 } else { text })
}

/// Warns of more than five fields.
pub(super) fn more_fields(count: usize, span: &Range<usize>) -> Option<Problem> {
    let (number, hint) = match count {
        6 => {
            ("six", "millicron reads seconds first, supercronic a year last: write seven for both")
        }
        7 => ("seven", "millicron and supercronic read seconds first and a year last"),
        _ => return None,
    };
    let message =
        format_args!("{number} fields: cron reads five, and takes the sixth for the command");
    Some(Problem::warning("six-fields", span.clone(), message).hint(hint))
}

/// Whether a word is a list or range of names of weekdays.
fn is_weekdays(word: &str) -> bool {
    const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
    word.split(['-', ',']).all(|part| DAYS.iter().any(|day| part.eq_ignore_ascii_case(day)))
}

/// Splits the first `count` words of a line from the rest.
pub(super) fn split_words(line: &str, count: usize) -> (&str, &str) {
    let mut end = 0;
    for _ in 0..count {
        let rest = &line[end..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let word = rest[blank..].find([' ', '\t']).unwrap_or(rest.len() - blank);
        if word == 0 {
            break;
        }
        end += blank + word;
    }
    line.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn a_sixth_field_is_not_a_command() {
        for (line, count) in [
            ("* * * * * a b", 5),
            ("* * * * * /bin/x *", 5),
            ("* * * * * 7z x", 5),
            ("* * * * * *", 5),
            ("* * * * * * x", 6),
            ("* * * * * * *", 6),
            ("* * * * * * * x", 7),
            ("0 */5 * * * 1-5 x", 6),
            ("0 0 9 * * MON-FRI x", 6),
            ("0 0 9 * * fri#2 x", 5),
            ("@daily a", 1),
        ] {
            assert_eq!(fields(line, false), count, "{line}");
        }
        assert_eq!(fields("* * * * * * root", true), 5);
        assert_eq!(fields("* * * * * * root x", true), 6);
        assert_eq!(fields("* * * * * * * root", true), 6);
        assert_eq!(fields("* * * * * * * root x", true), 7);
    }
}
