//! The expansions of one schedule for each strategy, as a person would write
//! them, in `macros/tests/expansions`. `UPDATE_EXPECT=1` writes them anew.
//!
//! The files are compiled, too: the test `expansions` of the root package holds
//! them against `schedule!`, under lints that a macro's own code is spared.

use std::path::Path;
use std::{env, fs};

use super::tokens;

/// The name of the file, the schedule, and why its search is fast.
const EXPANSIONS: [(&str, &str, &str); 14] = [
    (
        "every_day_stride",
        "*:00:00",
        "The hours of all days are the multiples of one constant: no day, no table.",
    ),
    ("every_day_once", "09:30:00", "Once a day is a stride, too: of a whole day."),
    ("every_day_millis", "*:*:*.*/5", "A step that divides its second is a stride over all days."),
    (
        "every_day_one_small_field",
        "*:10,20-22:30",
        "Hours are free: one division leads to the minute, one bit scan of a word to the next.",
    ),
    (
        "every_day_one_millisecond_field",
        "*:*:*.1,2,3-5,10-20/3",
        "As with minutes, and two bit scans: of the words, and of the word.",
    ),
    (
        "every_day_product_one_millisecond",
        "8-17:*/20,59:00",
        "A bit scan for each digit, the highest first; one that moves resets those below.",
    ),
    (
        "every_day_product_milliseconds",
        "22-23,0-6:*:0.*/250",
        "As with seconds alone, and the milliseconds as a set of words.",
    ),
    (
        "weekdays_at",
        "*.*.* Mon-Fri 09:30:00",
        "A word has the way to the next day for each day of the week; the time is a constant.",
    ),
    (
        "day_list_at",
        "*.2.29 Sat 12:00:00",
        "The days themselves, 2000-01-01 being 0: no calendar at all.",
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
        "A word for each of the 14 shapes that a year can have: one of them is looked at.",
    ),
    (
        "dates_dense",
        "*.*.*/2 12:00:00",
        "A bitmap of the common year and one of the leap year: no loop over days or months.",
    ),
    (
        "dates_on_weekdays_stride",
        "*.Mar-Oct.*/2 Mon-Fri *:*/15:00",
        "The same bitmaps, ANDed with weekdays; the time of day is chosen apart: arithmetic.",
    ),
];

#[test]
fn expansions_are_as_they_were() {
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
            fs::write(&path, actual).expect("the folder is there");
        } else {
            changed.push(format!("==> {}\n{actual}", path.display()));
        }
    }
    assert!(
        changed.is_empty(),
        "expansions have changed; with UPDATE_EXPECT=1 they are written:\n{}",
        changed.join("\n")
    );
}

#[test]
fn every_expansion_has_its_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let mut expected = EXPANSIONS.map(|(name, _, _)| name);
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn the_same_input_gives_the_same_output() {
    for (_, text, why) in EXPANSIONS {
        assert_eq!(expansion(text).to_string(), expansion(text).to_string());
        assert_eq!(snapshot(text, why), snapshot(text, why));
    }
}

fn expansion(text: &str) -> proc_macro2::TokenStream {
    crate::expand(tokens(&format!("millicron {text:?}")))
}

/// The expansion as source, in a constant that can be compiled.
fn snapshot(text: &str, why: &str) -> String {
    let expansion = expansion(text);
    let source = quote::quote! {
        pub(super) const SCHEDULE: millicron::Schedule = #expansion;
    };
    let file = syn::parse2(source).expect("an expansion is an expression");
    let source = prettyplease::unparse(&file);
    format!("// schedule!({text:?})\n//\n// {why}\n\n{source}")
}
