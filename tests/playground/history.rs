//! The address of the page, which contains what was typed.

use serde_json::json;

use crate::{NOW, choose, open, playground, type_calendars, type_schedule};

#[test]
fn the_link_shows_the_same_to_another_reader() {
    let Some(page) = playground("links", "") else { return };
    type_schedule(&page, "*.*.* 09:30:00..16:00:00/15m @office");
    type_calendars(&page, "[office]\n*.*.* Mon-Fri # été & hiver\n- *.Easter+1\n");
    choose(&page, "language", "millicron");
    choose(&page, "zone", "Pacific/Chatham");
    choose(&page, "year", "2030");
    let shown = "['text', 'calendars', 'language', 'zone', 'year', 'message', 'events', 'changes', 'calendar', 'writings']\
        .map(id => [document.getElementById(id)].map(it => it.value ?? it.innerHTML)[0])";
    let before = page.evaluate(shown);
    let link = page.evaluate("location.hash");
    let link = link.as_str().expect("a fragment");

    let Some(other) = playground("links", "") else { return };
    other.set_zone("America/New_York");
    open(&other, link);
    assert_eq!(other.evaluate(shown), before);
    assert_eq!(other.evaluate("document.getElementById('zone').value"), json!("Pacific/Chatham"));
    assert_eq!(other.evaluate("document.querySelector('form details').open"), json!(true));
}

#[test]
fn the_zone_is_that_of_the_browser_unless_another_was_chosen() {
    let Some(page) = playground("the browser's zone", "#text=12:00:00") else { return };
    assert_eq!(page.evaluate("document.getElementById('zone').value"), json!("Europe/Berlin"));
    page.set_zone("America/Havana");
    open(&page, "#text=12:00:00");
    assert_eq!(page.evaluate("document.getElementById('zone').value"), json!("America/Havana"));
    open(&page, "#text=12:00:00&zone=Asia/Tokyo");
    assert_eq!(page.evaluate("document.getElementById('zone').value"), json!("Asia/Tokyo"));
    // A former name of a zone refers to the same zone.
    open(&page, "#text=12:00:00&zone=Asia/Calcutta");
    assert_eq!(page.evaluate("document.getElementById('zone').value"), json!("Asia/Calcutta"));
    for unknown in ["Mars/Olympus", "%2B02:00", "%00"] {
        open(&page, &format!("#text=12:00:00&zone={unknown}"));
        assert_eq!(page.evaluate("document.getElementById('zone').value"), json!("America/Havana"));
    }
}

#[test]
fn back_and_forward_restore_what_was_typed() {
    let Some(page) = playground("the history", "#text=12:00:00") else { return };
    type_schedule(&page, "0 9 * * *");
    page.click("#examples li:nth-child(4) button");
    choose(&page, "zone", "Asia/Tokyo");
    let value = |text: &str, zone: &str| {
        page.wait_for(&format!(
            "document.getElementById('text').value === {} && document.getElementById('zone').value === {}",
            json!(text),
            json!(zone)
        ));
    };
    value("*.*.LW 17:00:00", "Asia/Tokyo");
    page.evaluate("history.back()");
    value("*.*.LW 17:00:00", "Europe/Berlin");
    page.evaluate("history.back()");
    value("0 9 * * *", "Europe/Berlin");
    page.wait_for(
        "document.getElementById('message').textContent.startsWith('Every day at 09:00')",
    );
    // All typed text is one history entry.
    page.evaluate("history.back()");
    value("12:00:00", "Europe/Berlin");
    page.evaluate("history.forward()");
    value("0 9 * * *", "Europe/Berlin");
    // A link pasted over the address.
    page.evaluate("location.hash = '#text=13:00:00'");
    value("13:00:00", "Europe/Berlin");
}

/// Browsers limit how often the address may change.
#[test]
fn changes_are_shown_if_the_address_cannot_change() {
    let Some(page) = playground("too many changes of the address", "#text=12:00:00") else {
        return;
    };
    page.evaluate(
        "history.pushState = history.replaceState = () => { throw new DOMException('too often', 'SecurityError'); }, \
         document.getElementById('text').select(), document.getElementById('text').focus()",
    );
    page.insert_text("0 9 * * *");
    page.wait_for(
        "document.getElementById('message').textContent.startsWith('Every day at 09:00')",
    );
    assert_eq!(page.evaluate("location.hash"), json!("#text=12:00:00"));
    // It changes as soon as it can.
    page.evaluate("delete history.pushState, delete history.replaceState");
    page.wait_for("new URLSearchParams(location.hash.slice(1)).get('text') === '0 9 * * *'");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn the_link_and_texts_are_copied() {
    let Some(page) = playground("copying", "#text=12:00:00") else { return };
    page.evaluate(
        "navigator.clipboard.writeText = it => { window.copied = it; return Promise.resolve(); }",
    );
    page.click("#link");
    page.wait_for("window.copied === location.href");
    page.click("#writings button[aria-label='Copy for crontab']");
    page.wait_for("window.copied === '0 12 * * *'");
    page.wait_for("document.getElementById('copied').textContent === 'Copied: 0 12 * * *'");
    // A second click, while the button still says that the text is copied.
    page.click("#writings button[aria-label='Copy for crontab']");
    page.wait_for(
        "document.querySelector(\"#writings button[aria-label='Copy for crontab']\").textContent === 'Copy'",
    );
    // The test decides when the button gets its text back, since it may not see the other one in time.
    page.evaluate(
        "(set => { window.setTimeout = (run, wait) => wait === 1500 ? (window.restore = run, 0) : set(run, wait); })(setTimeout), \
         navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))",
    );
    page.click("#link");
    page.wait_for("document.getElementById('link').textContent === 'Not copied'");
    assert!(page.text("#copied").contains("does not allow"));
    let height = page.evaluate("document.getElementById('copied').getBoundingClientRect().height");
    assert!(height.as_f64() > Some(10.0), "readers see it: {height}");
    page.evaluate("restore()");
    page.wait_for("document.getElementById('link').textContent === 'Copy link'");
}

#[test]
fn the_page_works_without_a_network_and_requests_nothing() {
    let Some(page) = playground("the network", "#text=2:30:00") else { return };
    type_schedule(&page, "*.*.LW 17:00:00");
    choose(&page, "zone", "Asia/Tokyo");
    page.click("#after");
    assert!(page.requests().iter().all(|it| it.starts_with("file:") && it.contains("index.html")));
    // Not even a script in the page can send a request.
    let answer = page.evaluate(&format!(
        "fetch('http://127.0.0.1:9/?{NOW}').then(() => 'sent', error => error.message)"
    ));
    assert_eq!(answer, json!("Failed to fetch"));
    assert!(
        page.complaints().iter().any(|it| it.contains("Content Security Policy")),
        "{:?}",
        page.complaints()
    );
}
