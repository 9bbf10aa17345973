//! No text makes the readers, the lints or the reports panic.

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::NamedZone;

use super::checked::Checked;
use super::lint;
use super::report::render_all;
use crate::file::{FileFormat, JobFile, ReadOptions};

const TEXTS: [(FileFormat, &str); 3] = [
    (
        FileFormat::Toml,
        "zone='Europe/Berlin'\n[jobs.a]\nschedule=\"\\t*.*.25-32 Fri 02:*/7:00.5\"\nduration='9s'\n\
         needs=[{any-of=['b',{all='ä',within='day'}]},'a']\ncommand='x'\n[jobs.'']\nschedule='0 9 31 * 5'\n",
    ),
    (
        FileFormat::Crontab,
        "A='b'\nCRON_TZ=Europe/Berlin\n-* 2 */2 * 5 cd ä && b %c\\%\n@daily \"ü\"\n0 * 9 31 * MON\tx%\\\n",
    ),
    (
        FileFormat::Timer,
        "[Timer]\nOnCalendar=Fri *-*-31 \\\n 2:30\nRandomizedDelaySec=5ä\nOnCalendar =\nUnit=.é\nX",
    ),
];

fn check(format: FileFormat, text: &str) {
    let zone = TimeZone::named("America/New_York").expect("a zone of the database");
    let options = ReadOptions { format: Some(format), zone, has_users: None };
    let mut file = JobFile::parse(Path::new("file"), text.to_owned(), &options);
    lint(&mut file, Timestamp::UNIX_EPOCH);
    for problem in &file.problems {
        assert!(text.get(problem.span.clone()).is_some(), "{:?} in {text:?}", problem.span);
    }
    render_all(&[Checked { name: "file".to_owned(), file }]);
}

#[test]
fn no_text_makes_a_reader_panic() {
    for (format, text) in TEXTS {
        check(format, text);
        for (index, c) in text.char_indices() {
            let (before, after) = (&text[..index], &text[index + c.len_utf8()..]);
            check(format, before);
            check(format, &format!("{before}{after}"));
            for other in ["ß", "\"", "\n", "*", "9"] {
                check(format, &format!("{before}{other}{after}"));
            }
        }
    }
}
