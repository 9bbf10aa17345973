//! Pictures in a browser: details on hover and focus, texts that fit, and distinguishable colors.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::calendar::{MILLIS_PER_DAY, day_number};
use millicron::{CalendarDigits, Schedule, ZonedSchedule};
use millicron_browser_tests::{CONTRAST, Page};
use millicron_pictures::{
    ClockChanges, DayChart, Graph, GraphJob, GraphNeed, GraphRuns, HourLoad, HourlyLoad, Picture,
    Timeline, TimelineJob, YearCalendar,
};
use serde_json::{Value, json};

fn schedule(text: &str) -> ZonedSchedule<TimeZone> {
    let zone = TimeZone::get("Europe/Berlin").expect("a time zone");
    text.parse::<Schedule>().expect("a schedule").in_zone(zone)
}

fn date(year: i32, month: u8, day: u8) -> CalendarDigits {
    CalendarDigits::from_millis(day_number(year, month, day) * MILLIS_PER_DAY)
}

/// Returns a picture of each kind, with a name.
fn pictures() -> Vec<(&'static str, Box<dyn Picture>)> {
    let [quarters, nightly, often] =
        ["*.*.* Mon-Fri *:*/15:00", "2:30:00", "*:*:*/10"].map(schedule);
    let zone = quarters.zone();
    let millis = |year| date(year, 1, 1).to_millis();
    vec![
        ("calendar", Box::new(YearCalendar::new(&quarters, zone, 2026, "*.*.* Mon-Fri *:*/15:00"))),
        (
            "day",
            Box::new(
                DayChart::new(&quarters, zone, date(2026, 3, 30), "every quarter").expect("a day"),
            ),
        ),
        (
            "change",
            Box::new(DayChart::new(&often, zone, date(2026, 10, 25), "*:*:*/10").expect("a day")),
        ),
        ("zone", Box::new(ClockChanges::new(&nightly, millis(2026), millis(2027), "2:30:00"))),
        ("timeline", Box::new(timeline(1))),
        ("week", Box::new(timeline(7))),
        ("graph", Box::new(graph())),
        ("load", Box::new(HourlyLoad::new("jobs.toml", "Europe/Berlin", "365 days", hours()))),
    ]
}

/// Returns hours, some busy and some idle.
fn hours() -> [HourLoad; 24] {
    std::array::from_fn(|hour| {
        let most = if hour % 6 == 0 { 0 } else { hour as u64 * 7 };
        HourLoad { starts: most * 1000, most }
    })
}

fn timeline(days: u8) -> Timeline {
    let jobs = [
        ("backup", "2:00:00", Some(90)),
        ("load", "*:00:00", Some(20)),
        ("a job whose name is far too long to be written in full", "22:30:00", Some(240)),
        ("mail", "8-18:*/15:00", None),
        ("metrics", "*:*:*/10", None),
    ];
    let schedules = jobs.map(|(_, text, _)| schedule(text));
    let zone = schedules[0].zone();
    let jobs = jobs.iter().zip(&schedules).map(|((name, _, minutes), events)| TimelineJob {
        name,
        events,
        duration: minutes.map(Duration::from_mins),
    });
    let jobs = jobs.collect::<Vec<_>>();
    Timeline::new(&jobs, zone, date(2026, 10, 19), days, "jobs.toml").expect("days")
}

fn graph() -> Graph {
    let states = [(24, 0, 0, 0), (20, 3, 0, 1), (0, 0, 1, 0), (7, 0, 0, 3), (0, 0, 0, 0)];
    let names = ["load", "bank", "rates of exchange", "report to the management", "mail"];
    let jobs =
        names.iter().zip(states).map(|(name, (succeeded, failed, skipped, not_recorded))| {
            let runs = GraphRuns { succeeded, failed, skipped, not_recorded };
            GraphJob {
                name: (*name).to_owned(),
                schedule: "0 3 * * MON-FRI".to_owned(),
                runs: Some(runs),
            }
        });
    let need = |from, to, label: &str, is_alternative| GraphNeed {
        from,
        to,
        label: label.to_owned(),
        is_alternative,
    };
    let needs = vec![
        need(0, 2, "last, in the same day", true),
        need(1, 2, "latest", true),
        need(0, 3, "all, 1 day back", false),
        need(2, 3, "last", false),
        need(3, 4, "last", false),
        need(3, 3, "previous", false),
    ];
    Graph::new("pipeline.toml", jobs.collect(), needs)
}

/// Writes a page with a picture.
fn write(name: &str, width: u32, picture: &dyn Picture) -> PathBuf {
    let file =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("picture-{name}-{width}.html"));
    fs::write(&file, picture.to_html(width)).expect("a temporary file");
    file
}

#[test]
fn pointer_and_keyboard_show_details() {
    for (name, picture) in pictures() {
        // A pointer that rests on a page keeps Chromium 148 from moving the focus with the first Tab.
        let Some(browser) = Page::blank("details of pictures") else { return };
        browser.open(&write(name, 900, &*picture), "");
        let label = |index: &str| {
            browser.evaluate(&format!(
                "[...document.querySelectorAll('.mark')].at({index}).getAttribute('aria-label')"
            ))
        };
        let is_shown = |index: &str| {
            let label = label(index);
            browser
                .wait_for(&format!("document.querySelector('#details').textContent === {label}"));
        };
        // A screen reader already reads the focused mark: announcing the details would repeat it.
        let is_announced =
            "document.querySelector('output, [aria-live], [role=status], [role=alert]') !== null";
        assert_eq!(browser.evaluate(is_announced), json!(false), "{name}");
        // At first, the details explain how to show some.
        assert!(browser.text("#details").contains("Tab"), "{name}");
        browser.press("Tab");
        is_shown("0");
        browser.press("ArrowRight");
        is_shown("1");
        browser.hover(".mark");
        is_shown("0");
        browser.press("End");
        is_shown("-1");
        // Each need of a job is on its own line.
        assert_eq!(browser.text("#details").contains('\n'), name == "graph", "{name}");
        browser.press("ArrowLeft");
        is_shown("-2");
        browser.press("Home");
        is_shown("0");
        browser.press("ArrowRight");
        is_shown("1");
        // The marks are a single tab stop, so Tab does not go to the next one.
        browser.press("Tab");
        let focused = browser.evaluate("document.activeElement.getAttribute('aria-label')");
        assert!([Value::Null, label("1")].contains(&focused), "{name}: {focused}");
        let stops = browser.evaluate("document.querySelectorAll('[tabindex=\"0\"]').length");
        assert_eq!(stops, json!(1), "{name}");
        let requests = browser.requests();
        assert!(requests.iter().all(|it| it.starts_with("file://")), "{requests:?}");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn arrows_go_up_and_down_in_a_calendar() {
    let Some(browser) = Page::blank("keys in a calendar") else { return };
    let calendar = YearCalendar::new(&schedule("2:30:00"), &TimeZone::UTC, 2026, "2:30:00");
    browser.open(&write("keys", 900, &calendar), "");
    browser.press("Tab");
    let details = |text: &str| {
        browser.wait_for(&format!(
            "document.querySelector('#details').textContent.startsWith({})",
            json!(text)
        ));
    };
    details("Thursday, 1 January 2026");
    browser.press("ArrowDown");
    details("Thursday, 8 January 2026");
    browser.press("ArrowRight");
    details("Friday, 9 January 2026");
    browser.press("ArrowUp");
    details("Friday, 2 January 2026");
}

/// Finds texts that are outside the picture, or that overlap other texts or marks.
const MISPLACED: &str = "(() => {
    const box = it => it.getBoundingClientRect();
    const overlap = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4;
    const picture = box(document.querySelector('svg'));
    const texts = [...document.querySelectorAll('svg text')];
    const rectangles = [...document.querySelectorAll('svg rect:not(.paper)')];
    const wrong = [];
    texts.forEach((text, index) => {
        const place = box(text), what = text.textContent;
        if (place.left < picture.left || place.right > picture.right || place.bottom > picture.bottom) {
            wrong.push(`${what} is outside`);
        }
        for (const other of texts.slice(index + 1)) {
            if (overlap(place, box(other))) wrong.push(`${what} overlaps ${other.textContent}`);
        }
        const mark = text.closest('.mark');
        for (const rectangle of rectangles) {
            if (rectangle.closest('.mark') === mark && mark) {
                const around = box(rectangle);
                const isIn = around.left <= place.left && place.right <= around.right;
                if (around.width > 8 && !isIn) wrong.push(`${what} is not in its mark`);
            } else if (overlap(place, box(rectangle))) {
                wrong.push(`${what} is on another rectangle`);
            }
        }
    });
    return wrong;
})()";

/// Returns the texts whose contrast with their background is less than 4.5, the minimum of WCAG 2.
fn pale_texts(browser: &Page) -> Value {
    browser.evaluate(&format!(
        "(() => {{
            const fill = it => getComputedStyle(it).fill;
            const paper = document.querySelector('svg .paper');
            return [...document.querySelectorAll('svg text')].filter(text => {{
                const behind = text.closest('.mark')?.querySelector('rect') ?? paper;
                return {CONTRAST}(fill(text), fill(behind)) < 4.5;
            }}).map(text => `${{text.textContent}}: ${{fill(text)}}`);
        }})()"
    ))
}

#[test]
fn texts_fit_and_are_easy_to_read_at_all_widths() {
    let Some(browser) = Page::blank("texts of pictures") else { return };
    for (name, picture) in pictures() {
        for width in [400, 900, 1600] {
            let file = write(&format!("fit-{name}"), width, &*picture);
            browser.set_width(width);
            browser.open(&file, "");
            let none = Value::Array(Vec::new());
            assert_eq!(browser.evaluate(MISPLACED), none, "{name}, {width} pixels");
            for is_dark in [false, true] {
                browser.set_dark(is_dark);
                assert_eq!(pale_texts(&browser), none, "{name}, dark: {is_dark}");
                let scheme = if is_dark { "dark" } else { "light" };
                browser.save_screenshot(width, &format!("{name}-{scheme}"));
            }
        }
    }
}

#[test]
fn shades_can_be_told_apart_without_hue() {
    let Some(browser) = Page::blank("shades of pictures") else { return };
    let calendar = YearCalendar::new(&schedule("2:30:00"), &TimeZone::UTC, 2026, "2:30:00");
    let file = write("shades", 900, &calendar);
    for is_dark in [false, true] {
        browser.set_dark(is_dark);
        browser.open(&file, "");
        let lightness = browser.evaluate(
            "[1, 2, 3, 4, 5].map(level => {
                const sample = document.querySelector('svg rect:not(.paper)');
                sample.setAttribute('class', `l${level}`);
                const [red, green, blue] = getComputedStyle(sample).fill.match(/\\d+/g);
                return Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
            })",
        );
        let lightness = serde_json::from_value::<Vec<i64>>(lightness).expect("five numbers");
        let steps = lightness.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
        let is_rising = |step: &i64| if is_dark { *step >= 20 } else { *step <= -20 };
        assert!(steps.iter().all(is_rising), "dark: {is_dark}: {lightness:?}");
    }
}
