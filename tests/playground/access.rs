//! The page with a keyboard and with a screen reader.

use serde_json::{Value, json};

use millicron_browser_tests::{CONTRAST, Page};

use crate::{NOW, open, playground, texts, type_schedule};

#[test]
fn the_keyboard_reaches_all_controls_in_order() {
    let Some(page) = playground("the keyboard", "#text=12:00:00") else { return };
    reach_all(&page, &["text", "language", "zone", "Calendars", "Weekdays at nine"]);
    open(&page, "#text=12:00:00&calendars=[office]%0A*.*.*");
    reach_all(&page, &["text", "language", "zone", "Calendars", "calendars", "Weekdays at nine"]);
}

/// Presses Tab until all controls have been reached, of which the first ones are given.
fn reach_all(page: &Page, first: &[&str]) {
    page.evaluate("document.activeElement.blur()");
    let mut reached = Vec::new();
    loop {
        page.press("Tab");
        let focused = page.evaluate(
            "(it => it === document.body ? null : it.id || it.ariaLabel || it.textContent)(document.activeElement)",
        );
        let Some(focused) = focused.as_str() else { break };
        if reached.iter().any(|it| it == focused) {
            break;
        }
        let is_visible = page.evaluate(
            "(it => it.outlineStyle !== 'none' && parseFloat(it.outlineWidth) >= 2)(getComputedStyle(document.activeElement))",
        );
        assert_eq!(is_visible, json!(true), "the focus on {focused} is visible");
        reached.push(focused.to_owned());
    }
    let count = page.evaluate(
        "[...document.querySelectorAll('input, select, textarea, button, summary')].filter(it => it.checkVisibility()).length",
    );
    assert_eq!(json!(reached.len()), count, "{reached:?}");
    assert_eq!(reached[..first.len()], *first);
    assert_eq!(reached.last().map(String::as_str), Some("link"));
}

#[test]
fn buttons_work_by_keyboard_and_keep_the_focus() {
    let Some(page) = playground("buttons by keyboard", "") else { return };
    type_schedule(&page, "0 30 9 * * 1-5");
    page.press("Tab");
    page.press("Enter");
    page.wait_for("document.getElementById('language').value === 'crontab'");
    // The button has been removed; the focus is on the field that it set.
    assert_eq!(page.evaluate("document.activeElement.id"), json!("language"));
    page.press_with_shift("Tab");
    assert_eq!(page.evaluate("document.activeElement.id"), json!("text"));
    page.evaluate("document.getElementById('after').focus()");
    page.press("Enter");
    page.wait_for("document.getElementById('year').value === '2027'");
    assert_eq!(page.evaluate("document.activeElement.id"), json!("after"));
}

#[test]
fn messages_are_announced_and_belong_to_the_field() {
    let Some(page) = playground("announcements", "") else { return };
    type_schedule(&page, "24:00:00");
    let described = page.evaluate(
        "document.getElementById('text').getAttribute('aria-describedby').split(' ')\
         .map(id => document.getElementById(id).textContent).join(' ')",
    );
    assert!(described.as_str().is_some_and(|it| it.contains("out of range: expected 0-23")));
    assert!(described.as_str().is_some_and(|it| it.contains("Read as millicron")));
    assert_eq!(page.evaluate("document.getElementById('message').role"), json!("status"));
}

#[test]
fn passing_time_moves_no_focus_and_announces_nothing() {
    let Some(page) = Page::blank("passing time") else { return };
    // The test triggers the page's timer.
    page.run_first("window.setInterval = run => { window.pass = run; };");
    page.set_now(NOW);
    page.set_zone("Europe/Berlin");
    for (text, focused) in [("12:00:00", "#writings button"), ("0 30 9 * * 1-5", "#choices button")]
    {
        let text = text.replace(' ', "+");
        open(&page, &format!("#text={text}"));
        page.evaluate(&format!("document.querySelector('{focused}').focus()"));
        page.evaluate(
            "window.announced = 0, new MutationObserver(all => { window.announced += all.length; })\
             .observe(document.getElementById('message'), { childList: true, subtree: true, characterData: true })",
        );
        page.evaluate("Date.now = () => 1774699200000 + 60000, window.pass()");
        let has_focus = format!("document.activeElement === document.querySelector('{focused}')");
        assert_eq!(page.evaluate(&has_focus), json!(true), "{text}");
        // Observers are called before the await returns.
        let announced = page.evaluate("Promise.resolve().then(() => window.announced)");
        assert_eq!(announced, json!(0), "{text}");
        if focused == "#writings button" {
            assert_eq!(texts(&page, "#events td")[1], "in 21h 59m");
        }
    }
}

#[test]
fn controls_have_visible_edges_in_light_and_dark() {
    let Some(page) = playground("edges", "") else { return };
    // The contrast ratio of WCAG 2.2, which requires 3 for the outlines of controls.
    let weak = &format!(
        "[...document.querySelectorAll('input, select, textarea, button')].filter(it => {{ \
         const own = getComputedStyle(it), page = getComputedStyle(document.body); \
         return [page, own].some(other => {CONTRAST}(own.borderTopColor, other.backgroundColor) < 3); \
         }}).map(it => it.outerHTML)"
    );
    for is_dark in [false, true] {
        page.set_dark(is_dark);
        assert_eq!(page.evaluate(weak), json!([]), "dark: {is_dark}");
    }
}

#[test]
fn all_parts_have_names_and_landmarks() {
    let Some(page) = playground("names", "#text=2:30:00") else { return };
    let unnamed = page.evaluate(
        "[...document.querySelectorAll('input, select, textarea, button, section, [role=group], svg')].filter(it => \
         !(it.labels?.length || it.getAttribute('aria-label') || it.querySelector('title') || it.textContent.trim() \
         && it.tagName === 'BUTTON' || document.getElementById(it.getAttribute('aria-labelledby'))?.textContent))\
         .map(it => it.outerHTML)",
    );
    assert_eq!(unnamed, json!([]));
    let broken = page.evaluate(
        "[...document.querySelectorAll('[for], [aria-labelledby], [aria-describedby]')].flatMap(it => \
         ['for', 'aria-labelledby', 'aria-describedby'].flatMap(name => it.getAttribute(name)?.split(' ') ?? []))\
         .filter(id => !document.getElementById(id))",
    );
    assert_eq!(broken, json!([]));
    for (what, count) in
        [("main", 1), ("h1", 1), ("header", 1), ("footer", 1), ("html[lang=en]", 1)]
    {
        let found = page.evaluate(&format!("document.querySelectorAll('{what}').length"));
        assert_eq!(found, json!(count), "{what}");
    }
    let ids = "[...document.querySelectorAll('[id]')].map(it => it.id)";
    let repeated =
        page.evaluate(&format!("{ids}.filter((id, index, all) => all.indexOf(id) !== index)"));
    assert_eq!(repeated, json!([]));
    // Headings do not skip a level.
    let levels =
        page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(it => +it.tagName[1])");
    let levels = levels.as_array().expect("headings").iter().filter_map(Value::as_i64);
    let levels: Vec<_> = levels.collect();
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

#[test]
fn text_has_enough_contrast_in_light_and_dark() {
    let Some(page) = playground("contrast", "#text=0+25+*+*+*") else { return };
    page.evaluate("document.querySelector('form details').open = true");
    for text in ["0 25 * * *", "0 30 9 * * 1-5", "2:30:00"] {
        type_schedule(&page, text);
        for is_dark in [false, true] {
            page.set_dark(is_dark);
            assert_eq!(
                page.pale_texts("svg, script, style, .marks"),
                json!([]),
                "{text}, dark: {is_dark}"
            );
        }
    }
}
