//! Zones in literals, with and without a database.

use millicron_runtime::Zones;

use super::tokens;
use crate::input::Input;
use crate::literal::{Literal, read};
use crate::zone::{Database, ZoneData, compiled};

fn read_with(source: &str, database: Option<&Database>) -> syn::Result<Literal> {
    let input = tokens(&format!("millicron {source}"));
    let Input { text, .. } = syn::parse2(input).expect("the arguments of the macro");
    read(&text.expect("a literal"), database)
}

/// A database with one zone.
struct Island;

impl Zones for Island {
    type Zone = ZoneData;

    fn find(&self, name: &str) -> Option<ZoneData> {
        name.eq_ignore_ascii_case("island").then(|| ZoneData {
            name: "Island",
            version: "1",
            offset: 3_600_000,
            changes: vec![(1_000_000_000_000, 7_200_000), (1_010_000_000_000, 3_600_000)],
        })
    }

    fn names(&self) -> Vec<String> {
        vec!["Island".to_owned()]
    }
}

#[test]
fn without_a_database_a_zone_needs_the_feature() {
    for source in [
        r#""12:00:00 Europe/Berlin""#,
        r#""12:00:00 Japan;""#,
        r#""12:00:00; 13:00:00 berlin""#,
        r#"crontab "TZ=Europe/Berlin 0 12 * * *""#,
        r#"systemd "12:00 Europe/Berlin""#,
    ] {
        let Err(error) = read_with(source, None) else { panic!("{source}") };
        let message = error.to_string();
        assert!(message.starts_with("a time zone in a literal needs the feature `zones`"));
        assert!(message.ends_with('^'), "the text is shown: {message}");
    }
    for (source, expected) in [
        (r#""24:00:00""#, "hour `24` is out of range"),
        (r#""12:00:00 +02:00""#, "`+02:00` is an offset from UTC"),
    ] {
        let Err(error) = read_with(source, None) else { panic!("{source}") };
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[test]
fn the_name_of_a_constant_is_no_zone() {
    for source in [r#""12:00:00 LSE", LSE"#, r#""12:00:00 LSE; 13:00:00", LSE"#] {
        let Err(error) = read_with(source, Some(&Island)) else { panic!("{source}") };
        let message = "`LSE` is the name of a calendar: write `@LSE`";
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn a_schedule_without_a_zone_reads_alike_with_a_database_and_without() {
    for source in [r#""12:00:00""#, r#""12:00:00; 13:00:00;""#, r#"crontab "0 12 * * *""#] {
        let with = read_with(source, Some(&Island)).expect("a schedule");
        let without = read_with(source, None).expect("a schedule");
        assert_eq!(with.text, without.text);
        assert!(with.zone.is_none() && without.zone.is_none());
    }
    for source in [r#""24:00:00""#, r#""12:00:00; 24:00:00""#, r#""""#, r#"quartz "0 12""#] {
        let [with, without] = [Some(&Island as &Database), None]
            .map(|database| read_with(source, database).err().expect("an error").to_string());
        assert_eq!(with, without);
    }
}

#[test]
fn a_zone_expands_to_its_changes() {
    let literal = read_with(r#""12:00:00 ISLAND""#, Some(&Island)).expect("a schedule");
    assert_eq!(literal.text, "12:00:00");
    let expected = quote::quote! {
        private::CompiledZone::new("Island", "1", const {
            &private::CompiledSpans::new(
                const { &[
                    private::Start::FIRST,
                    private::Start::new(1000000000000, 1),
                    private::Start::new(1010000000000, 0),
                    private::Start::END, private::Start::END
                ] },
                &[3600000, 7200000],
            )
        })
    };
    let zone = literal.zone.expect("a zone");
    assert_eq!(compiled(&zone).to_string(), expected.to_string());
}
