//! Any text, up to 64 KiB: a dialect parses it, or returns a well-formed error.

use crate::support::generate::cases;
use millicron::Dialect::{self, CronCrate, Crontab, Quartz, Systemd};
use millicron::Schedule;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const DIALECTS: [Dialect; 4] = [Crontab, Quartz, CronCrate, Systemd];

/// The longest text, in bytes.
const LONGEST: usize = 1 << 16;

/// Pieces of texts in the dialects.
const PIECES: [&str; 48] = [
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "*",
    "*",
    "*",
    "*",
    "?",
    "?",
    "/",
    "-",
    ",",
    "..",
    ".",
    ":",
    "~",
    "#",
    "L",
    "W",
    "C",
    "H",
    "0",
    "1",
    "2",
    "5",
    "7",
    "12",
    "28",
    "31",
    "59",
    "60",
    "100",
    "1970",
    "2026",
    "2099",
    "2100",
    "99999999999999999999",
    "MON",
    "Fri",
    "Sunday",
    "JAN",
    "@daily",
    "@reboot",
    "CRON_TZ=",
    "UTC",
    "é",
];

/// Parses a text in all ways. Schedules that are parsed can be written, and parsed again.
fn check(text: &str) -> Result<(), TestCaseError> {
    let _ = text.parse::<Schedule>().map_err(|error| format!("{error:#}"));
    for dialect in DIALECTS {
        match dialect.parse_with_zone(text) {
            Ok((schedule, _)) => {
                let again: Result<Schedule, _> = schedule.expression().parse();
                prop_assert_eq!(again.as_ref(), Ok(&schedule), "{} {:?}", dialect, text);
                if let Ok(written) = schedule.to_dialect(dialect) {
                    prop_assert_eq!(
                        dialect.parse(&written),
                        Ok(schedule),
                        "{} {:?}",
                        dialect,
                        text
                    );
                }
            }
            Err(error) => {
                prop_assert!(text.get(error.span()).is_some(), "{} {:?}", dialect, text);
                let long = format!("{error:#}");
                prop_assert_eq!(long.lines().count(), 4, "{}", long);
                prop_assert_eq!(long.lines().next(), Some(&*error.to_string()));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn texts_of_pieces_are_read_or_refused(
        pieces in vec(select(&PIECES[..]), 0..24),
    ) {
        check(&pieces.concat())?;
    }

    #[test]
    fn texts_of_fields_are_read_or_refused(
        fields in vec(vec(select(&PIECES[5..]), 1..4), 1..8),
    ) {
        let fields: Vec<String> = fields.iter().map(|pieces| pieces.concat()).collect();
        check(&fields.join(" "))?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        check(&text)?;
    }
}

#[test]
fn long_texts_are_read_or_refused() {
    let long = |piece: &str| piece.repeat(LONGEST / piece.len());
    for piece in PIECES.into_iter().chain(["0/0.001,", "*/1,", "1-5/2,", "* ", "Mon,", "1970/1,"]) {
        check(&long(piece)).expect(piece);
        check(&format!("{}0 * * * *", long(piece))).expect(piece);
        check(&format!("0 0 0 ? * {}MON", long(piece))).expect(piece);
        check(&format!("*:*:{}0", long(piece))).expect(piece);
    }
    let list = format!("{}0 9 * * *", "1,".repeat(LONGEST / 2 - 8));
    assert_eq!(Crontab.parse(&list), "9:0,1:0".parse());
}
