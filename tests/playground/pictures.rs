//! What the page looks like. `MILLICRON_SCREENSHOTS=directory` saves the screenshots.

use serde_json::json;

use crate::{choose, open, playground, texts};

/// Pages to look at: their names and fragments.
const PAGES: [(&str, &str); 6] = [
    ("meaning", "#text=*.*.*+02:30:00"),
    ("error", "#text=0+25+*+*+*"),
    ("ambiguous", "#text=0+30+9+*+*+1-5"),
    ("calendars", "#text=*.*.*+09:30:00+@office&calendars=[office]%0A*.*.*+Mon-Fri%0A-+*.Easter-2"),
    ("calendar-error", "#text=12:00:00&calendars=[office]%0A*.*.*+Mon-Fri%0A-+*.13.25"),
    ("window", "#text=*.*.*+Mon-Fri+09:30:00..16:00:00/15m&zone=America/New_York&year=2027"),
];

#[test]
fn nothing_is_wider_than_the_window() {
    let Some(page) = playground("the layout", "") else { return };
    for (name, fragment) in PAGES {
        for width in [400, 900, 1600] {
            page.set_width(width);
            open(&page, fragment);
            for is_dark in [false, true] {
                page.set_dark(is_dark);
                let widest = page.evaluate("document.documentElement.scrollWidth");
                assert_eq!(widest, json!(width), "{name}");
                let scheme = if is_dark { "dark" } else { "light" };
                page.save_screenshot(width, &format!("playground-{name}-{scheme}"));
            }
        }
    }
}

#[test]
fn the_year_is_drawn_in_the_width_of_the_window() {
    let Some(page) = playground("the year", "#text=12:00:00") else { return };
    for width in [400, 900, 1600] {
        page.set_width(width);
        page.wait_for(
            "(it => it.scrollWidth <= it.clientWidth && it.firstChild.clientWidth > it.clientWidth - 20)\
             (document.getElementById('calendar'))",
        );
    }
}

#[test]
fn the_year_can_be_switched() {
    let Some(page) = playground("other years", "#text=2028.02.29+12:00:00") else { return };
    let described = "document.querySelector('#calendar svg').textContent";
    page.wait_for(&format!("{described}.includes('2026: no events')"));
    page.click("#after");
    page.click("#after");
    page.wait_for(&format!("{described}.includes('2028: 1 event on 1 day')"));
    page.click("#before");
    page.wait_for(&format!("{described}.includes('2027: no events')"));
    choose(&page, "year", "2100");
    page.wait_for("document.getElementById('after').ariaDisabled === 'true'");
    // The button keeps the focus, and does nothing.
    page.evaluate("document.getElementById('after').focus()");
    page.press("Enter");
    assert_eq!(page.evaluate("document.activeElement.id"), json!("after"));
    assert_eq!(page.evaluate("document.getElementById('year').value"), json!("2100"));
    page.click("#before");
    page.wait_for("document.getElementById('year').value === '2099'");
    page.wait_for("document.getElementById('after').ariaDisabled === 'false'");
    choose(&page, "year", "1066");
    page.wait_for("document.getElementById('year').value === '2026'");
}

#[test]
fn the_year_is_a_table_for_those_who_cannot_see_it() {
    let Some(page) = playground("the table of the year", "#text=*.2,10.*+6+*:00:00&year=2028")
    else {
        return;
    };
    page.evaluate("document.querySelector('section summary').focus()");
    page.press("Enter");
    page.wait_for("document.querySelector('section details').open");
    let rows = texts(&page, "#months tr");
    let count = |row: usize| rows[row].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(rows.len(), 12);
    assert_eq!(count(0), "January 0 0");
    assert_eq!(count(1), "February 4 96");
    // The clocks go back on Sunday.
    assert_eq!(count(9), "October 4 96");
}
