//! Where the fields of a text are.

use millicron::{Dialect, Field, Language};

use Field::{Day, Hour, Millisecond, Minute, Month, Second, Weekday, Year};

const FIELDS: [Field; 8] = [Year, Month, Day, Weekday, Hour, Minute, Second, Millisecond];

/// Asserts which fields a text has, and what they are in the text.
fn assert_fields(language: Language, text: &str, expected: &[(Field, &str)]) {
    let reading = language.read(text).unwrap_or_else(|error| panic!("{error:#}"));
    let found: Vec<_> = FIELDS
        .into_iter()
        .filter_map(|field| Some((field, text.get(reading.span(field)?)?)))
        .collect();
    assert_eq!(found, expected, "{language}: {text:?}");
}

#[test]
fn fields_of_the_native_language() {
    let cases: [(&str, &[(Field, &str)]); 9] = [
        ("*:5,30:00", &[(Hour, "*"), (Minute, "5,30"), (Second, "00")]),
        ("12:30:00.5", &[(Hour, "12"), (Minute, "30"), (Second, "00"), (Millisecond, "5")]),
        (
            " 2026.*.L-3,15W\tMon-Fri  9-17/2:0:*/15.* ",
            &[
                (Year, "2026"),
                (Month, "*"),
                (Day, "L-3,15W"),
                (Weekday, "Mon-Fri"),
                (Hour, "9-17/2"),
                (Minute, "0"),
                (Second, "*/15"),
                (Millisecond, "*"),
            ],
        ),
        (
            "*.*.13 | Fri#L 0:0:0",
            &[
                (Year, "*"),
                (Month, "*"),
                (Day, "13"),
                (Weekday, "Fri#L"),
                (Hour, "0"),
                (Minute, "0"),
                (Second, "0"),
            ],
        ),
        (
            "*.*.13|5 0:0:0",
            &[
                (Year, "*"),
                (Month, "*"),
                (Day, "13"),
                (Weekday, "5"),
                (Hour, "0"),
                (Minute, "0"),
                (Second, "0"),
            ],
        ),
        (
            "2026.Jan.05/14d 0:0:0",
            &[
                (Year, "2026"),
                (Month, "Jan"),
                (Day, "05/14d"),
                (Hour, "0"),
                (Minute, "0"),
                (Second, "0"),
            ],
        ),
        ("09:30:00.250..16:00:00/15m", &[]),
        ("*.*.1 09:00:00../1h", &[(Year, "*"), (Month, "*"), (Day, "1")]),
        ("*:5:00 Europe/Berlin", &[(Hour, "*"), (Minute, "5"), (Second, "00")]),
    ];
    for (text, expected) in cases {
        assert_fields(Language::Millicron, text, expected);
    }
}

#[test]
fn fields_of_crontab() {
    let crontab = Language::Dialect(Dialect::Crontab);
    let five: &[(Field, &str)] =
        &[(Month, "1-6"), (Day, "*/2"), (Weekday, "MON"), (Hour, "9"), (Minute, "0,30")];
    let sorted = |fields: &[(Field, &'static str)]| {
        let mut fields = fields.to_vec();
        fields.sort_by_key(|(field, _)| *field);
        fields
    };
    assert_fields(crontab, "0,30 9 */2 1-6 MON", &sorted(five));
    assert_fields(crontab, "CRON_TZ=Asia/Tokyo  0,30\t9 */2 1-6 MON ", &sorted(five));
    let six = [five, &[(Second, "15")]].concat();
    assert_fields(crontab, "15 0,30 9 */2 1-6 MON", &sorted(&six));
    assert_fields(crontab, "@daily", &[]);
    assert_fields(crontab, "TZ=UTC @weekly", &[]);
}

#[test]
fn fields_of_quartz_and_the_cron_crate() {
    for (dialect, day) in [(Dialect::Quartz, "?"), (Dialect::CronCrate, "*")] {
        let language = Language::Dialect(dialect);
        let fields = [
            (Year, "2026-2030"),
            (Month, "JAN"),
            (Day, day),
            (Weekday, "2-6"),
            (Hour, "8"),
            (Minute, "0/20"),
            (Second, "0"),
        ];
        assert_fields(language, &format!("0 0/20 8 {day} JAN 2-6 2026-2030"), &fields);
        assert_fields(language, &format!("0 0/20 8 {day} JAN 2-6"), &fields[1..]);
    }
}

#[test]
fn fields_of_systemd() {
    let cases: [(&str, &[(Field, &str)]); 6] = [
        ("Mon..Fri 9:30", &[(Weekday, "Mon..Fri"), (Hour, "9"), (Minute, "30")]),
        (
            "Sat,Sun 2026-*-1..7 18:00:0.5,30.5",
            &[
                (Year, "2026"),
                (Month, "*"),
                (Day, "1..7"),
                (Weekday, "Sat,Sun"),
                (Hour, "18"),
                (Minute, "00"),
                (Second, "0.5,30.5"),
            ],
        ),
        ("*-02~03", &[(Year, "*"), (Month, "02"), (Day, "03")]),
        ("05-01 *:0/15 UTC", &[(Month, "05"), (Day, "01"), (Hour, "*"), (Minute, "0/15")]),
        ("daily", &[]),
        ("weekly Europe/Berlin", &[]),
    ];
    let systemd = Language::Dialect(Dialect::Systemd);
    for (text, expected) in cases {
        let mut expected = expected.to_vec();
        expected.sort_by_key(|(field, _)| *field);
        assert_fields(systemd, text, &expected);
    }
}
