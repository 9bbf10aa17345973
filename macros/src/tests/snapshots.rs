//! Snapshots of the expansion of one schedule for each strategy, formatted, in
//! `macros/tests/expansions`. Run the tests with `UPDATE_EXPECT=1` to update them.
//!
//! The tests of the root package also compile these files, under lints that the compiler does
//! not apply to the code of macros.

use std::path::Path;
use std::{env, fs};

use super::tokens;

/// The name of the file, the schedule, and how its search works.
const EXPANSIONS: [(&str, &str, &str); 17] = [
    (
        "every_day_stride",
        "*:00:00",
        "The events are the multiples of one constant: no date, no table.",
    ),
    ("every_day_once", "09:30:00", "Once a day is a stride of a day."),
    ("every_day_millis", "*:*:*.*/5", "A step that divides a second is a stride."),
    (
        "every_day_one_small_field",
        "*:10,20-22:30",
        "The hours are free: one division finds the minute, one bit scan the next one in the set.",
    ),
    (
        "every_day_one_millisecond_field",
        "*:*:*.1,2,3-5,10-20/3",
        "The same with milliseconds: a scan of one word, or its neighbor from a table.",
    ),
    (
        "every_day_product_one_millisecond",
        "8-17:*/20,59:00",
        "A bit scan for each field, the highest first.",
    ),
    (
        "every_day_product_milliseconds",
        "22-23,0-6:*:0.*/250",
        "The same, with the milliseconds as several words.",
    ),
    (
        "weekdays_at",
        "*.*.* Mon-Fri 09:30:00",
        "A table of the distance from each weekday to the next day; the time is a constant.",
    ),
    (
        "day_list_at",
        "*.2.29 Sat 12:00:00",
        "A list of days, counted from 2000-01-01: no calendar arithmetic.",
    ),
    (
        "dates_at",
        "*.*.32 12:00:00",
        "The days of four years, and those of 2100, which is not a leap year.",
    ),
    (
        "dates_on_weekdays_at",
        "*.*.13 Fri 12:00:00",
        "The days of 28 years, after which dates fall on the same weekdays again.",
    ),
    (
        "year_word_at",
        "*.Sep.*/2 Mon-Fri 10:00:00",
        "One word for each of the 14 shapes of years; a search reads one of them.",
    ),
    (
        "dates_dense",
        "*.*.*/2 12:00:00",
        "Bitmaps of the 14 shapes of years: no loop over days or months.",
    ),
    (
        "dates_on_weekdays_stride",
        "*.Mar-Oct.*/2 Mon-Fri *:*/15:00",
        "The same bitmaps; the time is arithmetic.",
    ),
    (
        "day_or_weekday_at",
        "*.*.13,LW | Fri#2 12:00:00",
        "The same bitmaps: whatever depends on the month depends on the shape of the year.",
    ),
    (
        "day_steps_at",
        "2026.01.05/2w Mon,Thu 09:00:00",
        "Cycles of two weeks, and the days of one week as bits.",
    ),
    (
        "window",
        "*.*.* Fri 22:00:00..06:00:00/30m",
        "The days begin with the window, so that no window lasts over their end.",
    ),
];

#[test]
fn expansions_match_their_snapshots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    let is_update = env::var_os("UPDATE_EXPECT").is_some_and(|value| !value.is_empty());
    let mut changed = Vec::new();
    for (name, text, why) in EXPANSIONS {
        let path = folder.join(name).with_extension("rs");
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let actual = snapshot(text, why);
        if expected == actual {
            continue;
        }
        if is_update {
            fs::write(&path, actual).expect("the folder exists");
        } else {
            changed.push(format!("==> {}\n{actual}", path.display()));
        }
    }
    assert!(
        changed.is_empty(),
        "expansions have changed; set UPDATE_EXPECT=1 to update their snapshots:\n{}",
        changed.join("\n")
    );
}

#[test]
fn every_snapshot_has_a_schedule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the entry is readable").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let mut expected = EXPANSIONS.map(|(name, _, _)| name);
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn expansion_is_deterministic() {
    for (_, text, why) in EXPANSIONS {
        assert_eq!(expansion(text).to_string(), expansion(text).to_string());
        assert_eq!(snapshot(text, why), snapshot(text, why));
    }
}

fn expansion(text: &str) -> proc_macro2::TokenStream {
    crate::expand(tokens(&format!("millicron {text:?}")))
}

/// Returns the expansion as the source of a constant.
fn snapshot(text: &str, why: &str) -> String {
    let expansion = expansion(text);
    let source = quote::quote! {
        pub(super) const SCHEDULE: millicron::Schedule = #expansion;
    };
    let file = syn::parse2(source).expect("an expansion is an expression");
    let source = prettyplease::unparse(&file);
    format!("// schedule!({text:?})\n//\n// {why}\n\n{source}")
}
