//! Properties of all pictures.

use std::time::Duration;

use jiff::tz::{Offset, TimeZone};
use millicron_pictures::{
    ClockChanges, DayChart, Graph, GraphJob, GraphNeed, GraphRuns, HourLoad, HourlyLoad, Picture,
    Timeline, TimelineJob, YearCalendar,
};
use unicode_width::UnicodeWidthStr as _;

use crate::support::{digits, plain, schedule, zone};

/// Texts that are special in XML, HTML or a terminal, or that are wide.
const SUBJECTS: [&str; 5] = [
    "*/5 * * * *",
    "<script>alert(\"1 & 2\")</script>]]>",
    "\u{1b}[31mred\0\n\u{202e}\u{ffff}",
    "毎日の売上報告とバックアップとメール送信の予定",
    "a_very_long_name_without_any_space_that_has_to_be_cut_somewhere_to_fit_into_the_width_of_the_picture_that_was_asked_for",
];

/// Returns a picture of each kind about a subject.
fn pictures(subject: &str) -> Vec<Box<dyn Picture>> {
    pictures_of("*:*/5:00", subject)
}

fn pictures_of(text: &str, subject: &str) -> Vec<Box<dyn Picture>> {
    let often = schedule(text, "Europe/Berlin");
    let zone = often.zone();
    let jobs = [Some(Duration::from_mins(90)), None].map(|duration| TimelineJob {
        name: subject,
        events: &often,
        duration,
    });
    let millis = |day: &str| digits(day).to_millis();
    let job = |runs| GraphJob { name: subject.to_owned(), schedule: subject.to_owned(), runs };
    let need = GraphNeed { from: 0, to: 1, label: subject.to_owned(), is_alternative: true };
    vec![
        Box::new(YearCalendar::new(&often, zone, 2026, subject)),
        Box::new(DayChart::new(&often, zone, digits("2026-10-25"), subject).expect("a day")),
        Box::new(ClockChanges::new(&often, millis("2026-01-01"), millis("2027-01-01"), subject)),
        Box::new(Timeline::new(&jobs, zone, digits("2026-10-25"), 1, subject).expect("a day")),
        Box::new(Timeline::new(&jobs, zone, digits("2026-10-25"), 7, subject).expect("a week")),
        Box::new(Graph::new(
            subject,
            vec![job(None), job(Some(GraphRuns { failed: 1, ..GraphRuns::default() }))],
            vec![need],
        )),
        Box::new(HourlyLoad::new(subject, subject, "365 days", load())),
    ]
}

/// Returns hours that start idle and become busier and busier.
fn load() -> [HourLoad; 24] {
    std::array::from_fn(|hour| {
        let hour = hour as u64;
        HourLoad { starts: hour * 50_000_000, most: hour * hour * 100 }
    })
}

#[test]
fn no_line_is_wider_than_asked_for() {
    for subject in SUBJECTS {
        for picture in pictures(subject).into_iter().chain(pictures_of("*:*:*.*", subject)) {
            for columns in [40, 41, 57, 80, 123, 200] {
                for line in plain(&*picture, columns).lines() {
                    assert!(line.width() <= columns, "{columns} columns: {line}");
                }
            }
        }
    }
}

#[test]
fn texts_cannot_change_the_terminal() {
    for picture in pictures(SUBJECTS[2]) {
        let text = plain(&*picture, 200);
        let is_allowed = |character: char| character == '\n' || !character.is_control();
        assert!(text.chars().all(is_allowed) && !text.contains('\u{202e}'), "{text}");
    }
}

#[test]
fn hidden_characters_are_replaced() {
    // They change the direction of text, or are invisible.
    let hidden = [
        '\u{61c}',
        '\u{180e}',
        '\u{200b}',
        '\u{200f}',
        '\u{2060}',
        '\u{2069}',
        '\u{feff}',
        '\u{fffb}',
        '\u{e0041}',
    ];
    for hidden in hidden {
        for picture in pictures(&format!("a{hidden}b")) {
            for drawn in [picture.to_text(200), picture.to_svg(900), picture.to_html(900)] {
                assert!(!drawn.contains(hidden) && drawn.contains("a\u{fffd}b"), "{drawn:?}");
            }
        }
    }
}

#[test]
fn drawings_are_accessible_and_have_no_scripts() {
    for subject in SUBJECTS {
        for picture in pictures(subject) {
            for width in [0, 300, 400, 900, 1600] {
                let svg = picture.to_svg(width);
                let document = roxmltree::Document::parse(&svg).expect("XML");
                let root = document.root_element();
                let text = |name| {
                    let child = root.children().find(|child| child.has_tag_name(name));
                    child.and_then(|child| child.text()).unwrap_or_default().to_owned()
                };
                let names = || document.descendants().map(|node| node.tag_name().name());
                assert!(!text("title").is_empty() && !text("desc").is_empty());
                assert_eq!(root.attribute("role"), Some("img"));
                assert!(names().all(|name| name != "script" && name != "image" && name != "use"));
                let mut marks =
                    document.descendants().filter(|node| node.attribute("class") == Some("mark"));
                assert!(marks.all(|mark| mark.children().any(|child| child.has_tag_name("title"))));
            }
        }
    }
}

#[test]
fn texts_have_styles() {
    for picture in pictures("*/5 * * * *") {
        assert!(picture.to_text(80).contains('\u{1b}'));
    }
}

#[test]
fn nothing_in_a_plain_picture_is_replaced() {
    for picture in pictures("*/5 * * * *") {
        for drawn in [picture.to_text(80), picture.to_svg(900), picture.to_html(900)] {
            assert!(!drawn.contains('\u{fffd}'), "{drawn}");
        }
    }
}

#[test]
fn tabs_and_line_breaks_in_a_schedule_are_drawn_as_spaces() {
    for picture in pictures("17\t*\n*\r*  *") {
        for drawn in [picture.to_text(80), picture.to_svg(900), picture.to_html(900)] {
            assert!(!drawn.contains('\u{fffd}'), "{drawn}");
        }
    }
}

#[test]
fn titles_name_the_zone_or_its_offset() {
    let title = |zone: &TimeZone| {
        let schedule = schedule("0:00:00", "UTC").schedule().clone().in_zone(zone.clone());
        let day = digits("2026-10-25");
        let jobs = [TimelineJob { name: "job", events: &schedule, duration: None }];
        [
            YearCalendar::new(&schedule, zone, 2026, "it").title(),
            DayChart::new(&schedule, zone, day, "it").expect("a day").title(),
            ClockChanges::new(&schedule, 0, 1, "it").title(),
            Timeline::new(&jobs, zone, day, 1, "it").expect("a day").title(),
        ]
    };
    let offset = |seconds| TimeZone::fixed(Offset::from_seconds(seconds).expect("an offset"));
    let rule = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").expect("a rule");
    for (zone, end) in [
        (offset(7200), " +02:00"),
        (offset(-12_600), " -03:30"),
        (zone("Europe/Berlin"), " Europe/Berlin"),
        (rule, ""),
    ] {
        for title in title(&zone) {
            assert!(title.ends_with(end), "{title}");
            assert_eq!(
                title.contains(":00") || title.contains(":30"),
                end.contains(':'),
                "{title}"
            );
        }
    }
}

#[test]
fn pages_contain_the_drawing_and_request_nothing() {
    for subject in SUBJECTS {
        for picture in pictures(subject) {
            let page = picture.to_html(900);
            assert!(page.contains(&picture.to_svg(900)));
            let addresses =
                page.matches("http").count() - page.matches("http://www.w3.org/2000/svg").count();
            assert_eq!(addresses, 0);
            assert!(!page.contains("{title}") && !page.contains("{svg}"));
            assert_eq!(page.matches("<script>").count(), 1);
        }
    }
}

/// Returns the colors of a property that a style sheet gives to classes, in light and in dark.
fn colors(svg: &str, class: &str, property: &str) -> [f64; 2] {
    let (light, dark) = svg.split_once("@media").expect("dark colors");
    [light, dark].map(|rules| {
        let rule = rules.split_once(&format!(".{class}{{")).expect("a rule").1;
        let rule = rule.split_once('}').expect("the end of a rule").0;
        let color = rule.split_once(&format!("{property}:#")).expect("a property").1;
        luminance(&color[..6])
    })
}

/// Returns the relative luminance of a color, as WCAG 2 defines it.
fn luminance(color: &str) -> f64 {
    let channel = |range: std::ops::Range<usize>| {
        let part = f64::from(u8::from_str_radix(&color[range], 16).expect("two digits")) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0..2) + 0.7152 * channel(2..4) + 0.0722 * channel(4..6)
}

/// Returns the contrast of two colors, in light and in dark.
fn contrasts(one: [f64; 2], other: [f64; 2]) -> impl Iterator<Item = f64> {
    one.into_iter().zip(other).map(|(one, other)| (one.max(other) + 0.05) / (one.min(other) + 0.05))
}

#[test]
fn what_is_drawn_stands_out_from_what_is_behind() {
    let svg = HourlyLoad::new("", "", "", load()).to_svg(900);
    let fill = |class: &str| colors(&svg, class, "fill");
    let (paper, empty) = (fill("paper"), fill("l0"));
    // WCAG 2 requires a contrast of 3 for graphics.
    let levels = ["l1", "l2", "l3", "l4", "l5"];
    let states = ["failed", "incomplete", "skipped", "succeeded", "no-runs"];
    for class in levels.into_iter().chain(states).chain(["run", "load", "start", "peak"]) {
        for contrast in contrasts(fill(class), paper).chain(contrasts(fill(class), empty)) {
            assert!(contrast >= 3.0, "{class}: {contrast}");
        }
    }
    assert!(contrasts(fill("start"), fill("run")).all(|contrast| contrast >= 3.0));
    // The outline of a clock change touches the paper color, outside and inside.
    let (change, inset) = (colors(&svg, "change", "stroke"), colors(&svg, "inset", "stroke"));
    assert!(contrasts(change, inset).chain(contrasts(change, paper)).all(|it| it >= 3.0));
    for level in levels {
        assert!(contrasts(fill(level), inset).all(|contrast| contrast >= 3.0), "{level}");
    }
    // Each shade differs from the one before, and from its text.
    for (one, other) in levels.iter().zip(&levels[1..]) {
        assert!(contrasts(fill(one), fill(other)).all(|it| it >= 1.25), "{one} and {other}");
    }
    for (level, text) in levels.iter().zip(["t1", "t2", "t3", "t4", "t5"]) {
        assert!(contrasts(fill(level), fill(text)).all(|it| it >= 4.5), "{text}");
    }
}
